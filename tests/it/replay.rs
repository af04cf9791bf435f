//! The laws of the replay, for every policy, on generated sessions; and the fast path against the full rules.

use cutpoint::cell::Cell;
use cutpoint::model::Api;
use cutpoint::outcome::Tally;
use cutpoint::outcome::{Cut, Outcome};
use cutpoint::policies::POLICIES;
use cutpoint::replay::{Player, Subject};
use cutpoint::rules::{self, Target, Verdict};
use cutpoint::transcript::{Prompt, Transcript};
use proptest::prelude::*;

use crate::traffic::{STATED, Step, session, steps, valid_steps};

/// A window that the generated sessions outgrow.
const WINDOW: u64 = 2_000;

fn apis() -> impl Strategy<Value = Api> {
    proptest::sample::select(Api::ALL)
}

fn policies() -> impl Strategy<Value = String> {
    let with_params = ["drop-oldest-message:keep=3", "drop-oldest-round:keep=2", "truncate-results:cap=60"];
    let all: Vec<String> = POLICIES.iter().map(|policy| policy.id).chain(with_params).map(str::to_owned).collect();
    proptest::sample::select(all)
}

fn player(policy: &str, trigger: u32, target: u32, mode: &str) -> Player {
    let target = target.min(trigger);
    let cell = format!("{policy}/{trigger}%/{target}%/{WINDOW}/{mode}");
    Player::new(cell.parse::<Cell>().expect("a cell"))
}

fn subject(api: Api, steps: &[Step], player: &Player) -> Subject {
    Subject::new(Transcript::of_session(&session(api, steps), &STATED), &[player.cap()])
}

fn play(player: &Player, subject: &Subject) -> (Outcome, Vec<Cut>) {
    let mut cuts = Vec::new();
    let outcome = player.play(subject, &mut cuts).expect("the window is known");
    (outcome, cuts)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn the_fast_path_equals_the_full_rules(
        api in apis(), steps in steps(), policy in policies(), trigger in 10u32..=100, target in 5u32..=100,
        mode in prop_oneof![Just("sticky"), Just("stateless")],
    ) {
        let player = player(&policy, trigger, target, mode);
        let subject = subject(api, &steps, &player);
        let mut cuts = Vec::new();
        let by_rules = player.play_by_rules(&subject, &mut cuts).expect("the window is known");
        prop_assert_eq!(play(&player, &subject), (by_rules, cuts));
    }

    #[test]
    fn baseline_verdicts_equal_a_check_of_every_prefix(api in apis(), steps in steps()) {
        let transcript = Transcript::of_session(&session(api, &steps), &STATED);
        let target = Target::new(api, None);
        let everything: Vec<u32> = (0..transcript.messages.len() as u32).collect();
        let of_prefix = |upto: u32| {
            rules::verdict(&rules::check(&Prompt::new(&transcript, &everything[..upto as usize]), &target))
        };
        let slow: Vec<Verdict> = transcript.calls.iter().map(|call| of_prefix(call.upto)).collect();
        prop_assert_eq!(cutpoint::baseline::verdicts(&transcript), slow);
    }

    #[test]
    fn law_1_freed_is_before_minus_after(api in apis(), steps in steps(), policy in policies(), trigger in 10u32..=100) {
        let player = player(&policy, trigger, trigger, "sticky");
        let (outcome, cuts) = play(&player, &subject(api, &steps, &player));
        prop_assert_eq!(outcome.tokens_before - outcome.tokens_after, outcome.freed);
        prop_assert_eq!(cuts.iter().map(|cut| cut.freed).sum::<u64>(), outcome.freed);
        prop_assert_eq!(cuts.len() as u64, outcome.compactions);
    }

    #[test]
    fn law_2_a_compaction_happens_exactly_above_the_trigger(
        api in apis(), steps in steps(), policy in policies(), trigger in 10u32..=100, target in 5u32..=100,
    ) {
        let player = player(&policy, trigger, target, "stateless");
        let subject = subject(api, &steps, &player);
        let (_, cuts) = play(&player, &subject);
        let limits = player.cell.limits(WINDOW);
        if policy == "none" {
            prop_assert!(cuts.is_empty());
        } else if !policy.starts_with("truncate") {
            let size = |upto: u32| subject.transcript.messages[..upto as usize].iter().map(|m| u64::from(m.tokens)).sum::<u64>();
            let above = (0..).zip(&subject.transcript.calls).filter(|(_, call)| size(call.upto) > limits.trigger);
            prop_assert_eq!(above.map(|(n, _)| n).collect::<Vec<u32>>(), cuts.iter().map(|cut| cut.call).collect::<Vec<_>>());
        }
        prop_assert!(cuts.iter().all(|cut| cut.before > limits.trigger));
    }

    #[test]
    fn law_3_a_target_that_is_reached_is_kept_to(
        api in apis(), steps in steps(), policy in policies(), trigger in 10u32..=100, target in 5u32..=100,
    ) {
        let player = player(&policy, trigger, target, "sticky");
        let (_, cuts) = play(&player, &subject(api, &steps, &player));
        let target = player.cell.limits(WINDOW).target;
        for cut in cuts {
            prop_assert_eq!(cut.reached, cut.before - cut.freed <= target);
            prop_assert!(!cut.reached || cut.freed >= cut.deficit);
        }
    }

    #[test]
    fn law_4_rounds_and_exchanges_break_nothing_that_is_valid(
        api in apis(), steps in valid_steps(), trigger in 10u32..=100, target in 5u32..=100,
        policy in prop_oneof![Just("drop-oldest-round"), Just("drop-oldest-exchange"), Just("truncate-results")],
        mode in prop_oneof![Just("sticky"), Just("stateless")],
    ) {
        let player = player(policy, trigger, target, mode);
        let (outcome, cuts) = play(&player, &subject(api, &steps, &player));
        // A round may begin with the assistant, which Converse does not take at the head of a list.
        let may_begin_amiss = api == Api::BedrockConverse && policy == "drop-oldest-round";
        prop_assert!(outcome.calls_400 == 0 || may_begin_amiss);
        prop_assert!(cuts.iter().filter_map(|cut| cut.broken).all(|(rule, _)| rule == "first_message_not_user"));
    }

    #[test]
    fn law_5_with_target_at_trigger_sticky_and_stateless_send_the_same(
        api in apis(), steps in steps(), trigger in 10u32..=100,
        policy in prop_oneof![Just("drop-oldest-message"), Just("drop-oldest-round"), Just("drop-oldest-exchange")],
    ) {
        let (sticky, stateless) = (player(policy, trigger, trigger, "sticky"), player(policy, trigger, trigger, "stateless"));
        let (a, _) = play(&sticky, &subject(api, &steps, &sticky));
        let (b, _) = play(&stateless, &subject(api, &steps, &stateless));
        prop_assert_eq!(a.tokens_after, b.tokens_after);
        prop_assert_eq!(a.prefix_tokens, b.prefix_tokens);
        prop_assert_eq!((a.calls_400, a.first_bad_call), (b.calls_400, b.first_bad_call));
    }

    #[test]
    fn law_6_a_shared_prefix_is_no_longer_than_what_is_sent(api in apis(), steps in steps(), policy in policies()) {
        let player = player(&policy, 50, 30, "sticky");
        let (outcome, _) = play(&player, &subject(api, &steps, &player));
        prop_assert!(outcome.prefix_tokens <= outcome.tokens_after);
    }

    #[test]
    fn law_7_tallies_of_two_halves_add_up(
        api in apis(), sessions in proptest::collection::vec(steps(), 0..6), split in 0usize..6, policy in policies(),
    ) {
        let player = player(&policy, 40, 40, "sticky");
        let tally = |sessions: &[Vec<Step>]| {
            let mut tally = Tally::default();
            for steps in sessions {
                let outcome = player.play(&subject(api, steps, &player), &mut tally).expect("the window is known");
                tally.add(&outcome);
            }
            tally
        };
        let (left, right) = sessions.split_at(split.min(sessions.len()));
        let (mut forth, mut back) = (tally(left), tally(right));
        let first = forth.clone();
        forth.merge(&back);
        back.merge(&first);
        prop_assert_eq!(&forth, &back);
        prop_assert_eq!(forth, tally(&sessions));
    }

    #[test]
    fn law_8_evicting_nothing_changes_nothing(api in apis(), steps in steps()) {
        let player = player("none", 10, 10, "sticky");
        let (outcome, _) = play(&player, &subject(api, &steps, &player));
        prop_assert_eq!(outcome.tokens_before, outcome.tokens_after);
        prop_assert_eq!((outcome.compactions, outcome.calls_400, outcome.diverged_at), (0, 0, None));
    }
}
