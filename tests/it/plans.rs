//! Plans that policies make: carried out, judged and told, whatever they drop, shorten or put in.

use cutpoint::cell::Cell;
use cutpoint::model::Api;
use cutpoint::outcome::Cut;
use cutpoint::policies::{Claims, Compactor, Policy, PolicySpec};
use cutpoint::replay::{Player, Subject, Witness};
use cutpoint::transcript::{Speaker, Transcript};
use cutpoint::view::{Budget, Change, Inserted, Plan, PlanFault, View};

use crate::traffic::{STATED, Step, session};

/// Keeps all that happens.
#[derive(Default)]
struct Seen {
    cuts: Vec<(Cut, Change)>,
    failures: Vec<(u32, PlanFault)>,
}

impl Witness for Seen {
    fn cut(&mut self, cut: &Cut, change: &mut dyn FnMut() -> Change) {
        self.cuts.push((*cut, change()));
    }

    fn wants_changes(&self) -> bool {
        true
    }

    fn failure(&mut self, call: u32, fault: &PlanFault) {
        self.failures.push((call, fault.clone()));
    }
}

/// A user's task, then `n` rounds of one call with a result of `size` tokens.
fn loops(n: usize, size: u64) -> Vec<Step> {
    let rounds = (0..n).map(|_| Step::Tools { calls: 1, answered: u8::MAX, size });
    [Step::User(20)].into_iter().chain(rounds).collect()
}

fn subject(api: Api, steps: &[Step]) -> Subject {
    Subject::new(Transcript::of_session(&session(api, steps), &STATED), &[None])
}

#[track_caller]
fn play(cell: &str, subject: &Subject) -> (cutpoint::outcome::Outcome, Seen) {
    let mut seen = Seen::default();
    let outcome = Player::new(cell.parse::<Cell>().unwrap()).play(subject, &mut seen).unwrap();
    (outcome, seen)
}

#[test]
fn stubs_shorten_results_and_break_nothing() {
    // Messages 1, 3, 5, ... call (18 tokens), messages 2, 4, 6, ... are results of 104 tokens.
    let subject = subject(Api::AnthropicMessages, &loops(6, 100));
    let (outcome, seen) = play("stub-results:keep=1,stub=9/50%/30%/1000/sticky", &subject);
    assert_eq!((outcome.calls_400, outcome.depends_calls, outcome.evicted_messages), (0, 0, 0));
    let (cut, change) = &seen.cuts[0];
    let shortened: Vec<u32> = change.shortened.iter().map(|(message, _)| *message).collect();
    assert_eq!(shortened, [2, 4, 6]);
    assert!(change.shortened.iter().all(|(_, tokens)| *tokens == 9));
    assert_eq!((change.gone.len(), change.inserted.len()), (0, 0));
    assert_eq!(cut.freed, 3 * (104 - 9));
}

#[test]
fn a_summary_stands_where_the_middle_was() {
    let subject = subject(Api::AnthropicMessages, &loops(6, 100));
    let (outcome, seen) = play("summarise-middle:head=1,tail=1,summary=30/50%/30%/1000/sticky", &subject);
    let (cut, change) = &seen.cuts[0];
    assert_eq!(change.gone, [1..7]);
    let put = Inserted { before: 1, speaker: Speaker::User, tokens: 30, kind: "summary".to_owned() };
    assert_eq!(change.inserted, [put]);
    assert!(cut.reached && cut.broken.is_none());
    assert_eq!(outcome.calls_400, 0);
}

#[test]
fn the_ends_stay() {
    let subject = subject(Api::OpenaiChat, &loops(6, 100));
    let (outcome, seen) = play("keep-ends:head=2,tail=2/50%/30%/1000/sticky", &subject);
    assert_eq!(seen.cuts[0].1.gone, [3..7]);
    assert_eq!((outcome.calls_400, outcome.first_bad_call), (0, None));
}

/// Fails at its third call, and plans nonsense at its fourth.
struct Moody(u32);

static MOODY: Policy = Policy {
    about: "fails at its third call",
    claims: Claims::NONE,
    ..Policy::new("moody", |_| Ok(Box::new(Moody(0))))
};

impl Compactor for Moody {
    fn plan(&mut self, view: &View, _: &Budget) -> Result<Plan, PlanFault> {
        self.0 += 1;
        match self.0 {
            3 => Err(PlanFault::Failed("out of moods".to_owned())),
            4 => Ok(Plan::dropping([view.len() as u32])),
            _ => Ok(Plan::dropping([0])),
        }
    }
}

#[test]
fn a_failure_is_the_policys_and_the_session_goes_on() {
    let subject = subject(Api::OpenaiChat, &loops(12, 100));
    let mut cell: Cell = "none/50%/30%/1000/stateless".parse().unwrap();
    cell.policy = PolicySpec::of(&MOODY);
    let mut seen = Seen::default();
    let outcome = Player::new(cell).play(&subject, &mut seen).unwrap();
    assert_eq!(outcome.policy_failures, 2);
    assert_eq!(seen.failures[0].1, PlanFault::Failed("out of moods".to_owned()));
    assert!(matches!(seen.failures[1].1, PlanFault::OutOfRange { .. }));
    let calls: Vec<u32> = seen.failures.iter().map(|(call, _)| *call).collect();
    assert_eq!(calls, [seen.cuts[1].0.call + 1, seen.cuts[1].0.call + 2]);
    assert_eq!(outcome.compactions, 12 - seen.cuts[0].0.call as u64 - 2);
}

#[test]
fn triggers_count_messages_turns_and_what_does_not_fit() {
    let subject = subject(Api::OpenaiChat, &loops(6, 100));
    let calls = |cell: &str| play(cell, &subject).1.cuts.iter().map(|(cut, _)| cut.call).collect::<Vec<_>>();
    // Call k sends 1 + 2 k messages.
    assert_eq!(calls("drop-oldest-round/messages:6/10%/1000/stateless"), [3, 4, 5]);
    assert_eq!(calls("drop-oldest-round/tokens:300/trigger/1000/stateless"), [3, 4, 5]);
    // 24 + 122 k tokens and a reserve of 50 in a window of 500.
    assert_eq!(calls("drop-oldest-round/overflow/trigger/500/stateless"), [4, 5]);
    assert_eq!(calls("drop-oldest-round/overflow@turn/trigger/500/stateless"), Vec::<u32>::new());
    assert_eq!(calls("drop-oldest-round/turns:1/10%/1000/stateless"), Vec::<u32>::new());
}
