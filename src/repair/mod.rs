//! The smallest edit that makes a refused request acceptable.
//!
//! Round by round, a rule that refuses the request is answered everywhere it fires, then the request is judged again:
//! until it is taken, or no rule that is left has a known repair. Pure: a request and a target go in, a value comes out.
//! Nothing is made up but an error result for a call that has none, as an agent loop would write it. What stands in the
//! wrong place is moved and not dropped, and what is dropped is a block before it is a message. What all edits together
//! come to is judged again: where it would still be refused, nothing is proposed and the rules are named.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::dialects;
use crate::judge::{self, Judgement};
use crate::model::{Api, Request};
use crate::rules::{self, Finding, Severity, Target, Verdict};
use crate::transcript::{IdNo, Pairs, Prompt, Site, Transcript, size};

mod answers;
mod beginnings;
mod blocks;
mod documents;
mod draft;
mod fixes;
mod functions;
mod ids;
mod images;
mod items;
mod marks;
mod names;
mod order;
mod patch;
mod results;
mod roles;
mod thinking;

use draft::Draft;
use fixes::{BOUND, FIXES, LOSSLESS, OF_HISTORY, PARTED, PARTING};

/// What was done to a request that was refused.
#[derive(Clone, Debug)]
pub struct Repair {
    /// What the target would say of it now.
    pub verdict: Verdict,
    pub edits: Vec<Edit>,
    /// The rules that refuse it and whose known answers lead to no request that is taken; nothing is edited then.
    pub unrepaired: Vec<&'static str>,
    pub request: Request,
    /// Where the original list has each message; `None` for those that the repair put there.
    pub origins: Vec<Option<u32>>,
}

/// One thing that was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The rule that it answers.
    pub rule: &'static str,
    /// Where, in the original request, as its provider writes it.
    pub path: String,
    /// One sentence: what is done, and why.
    pub why: String,
}

/// What an answer to a rule may look at: the request as it stands in this round.
struct Round<'a> {
    prompt: Prompt<'a>,
    pairs: &'a Pairs,
    /// What the rule found.
    findings: Vec<&'a Finding>,
}

impl Round<'_> {
    /// The messages at fault, each once, in order.
    fn messages(&self) -> Vec<usize> {
        let mut positions: Vec<usize> =
            self.findings.iter().filter_map(|finding| Some(finding.message? as usize)).collect();
        positions.sort_unstable();
        positions.dedup();
        positions
    }

    /// The blocks at fault.
    fn sites(&self) -> Vec<Site> {
        let site = |finding: &&Finding| Some(Site { message: finding.message?, block: finding.block? });
        self.findings.iter().filter_map(site).collect()
    }

    /// An id as a sentence names it.
    fn name(&self, id: IdNo) -> String {
        self.prompt.id(id).map_or_else(|| "without an id".to_owned(), |id| format!("`{id}`"))
    }
}

/// What requests are counted with between rounds: rules ask for sizes to warn, never to refuse.
const COUNTER: &size::Counter = &size::COUNTERS[1];

/// The most rounds. One answers a rule wherever it fires, so few are needed however long the list is.
const MOST_ROUNDS: usize = 100;

/// The repair of a request that was judged; `None` unless it is refused.
///
/// `wants` are the findings that count, as for [`Judgement::of`].
///
/// ```
/// use cutpoint::{dialects, judge, repair, rules};
///
/// let body = serde_json::json!({"model": "gpt-4.1", "messages": [
///     {"role": "tool", "tool_call_id": "call_1", "content": "1100 degrees"},
///     {"role": "user", "content": "How hot is the kiln?"}]});
/// let request = (dialects::detect(&body).ok_or("no request of a known API")?.parse)(body)?;
/// let target = rules::Target::new(request.api, request.model.as_deref());
/// let repair = repair::repair(&request, &target, &judge::judge(&request, &target), &|_| true).ok_or("it is taken")?;
/// assert_eq!(repair.verdict, rules::Verdict::Accept);
/// assert_eq!(repair.patch(&request), [serde_json::json!({"op": "remove", "path": "/messages/0"})]);
/// # Ok::<(), String>(())
/// ```
pub fn repair(
    request: &Request,
    target: &Target,
    judged: &Judgement,
    wants: &dyn Fn(&Finding) -> bool,
) -> Option<Repair> {
    if judged.verdict != Verdict::Reject {
        return None;
    }
    let mut draft = Draft::new(request);
    let mut findings = judged.findings.clone();
    let binds = target.abilities().binds_thinking == Some(true);
    let is_new = |rule: &str| LOSSLESS.contains(&rule) && judged.findings.iter().all(|old| old.rule != rule);
    for round in 0..MOST_ROUNDS {
        let transcript = Transcript::of_request(&draft.request, COUNTER);
        let resident: Vec<u32> = (0..transcript.messages.len() as u32).collect();
        let prompt = Prompt::new(&transcript, &resident);
        if round > 0 {
            findings = rules::check(&prompt, target);
            findings.retain(wants);
        }
        findings.retain(|finding| match finding.severity {
            Severity::Error => true,
            Severity::Warning if finding.rule == BOUND => binds,
            Severity::Warning => is_new(finding.rule) && !(finding.rule == PARTED && draft.has_answered(PARTING)),
            Severity::Info => false,
        });
        let pairs = Pairs::of(&prompt);
        let is_done = draft.edits.len();
        answer(&mut draft, &findings, round == 0, &|findings| Round { prompt, pairs: &pairs, findings });
        if draft.edits.len() == is_done {
            break;
        }
        draft.commit();
    }
    let transcript = judge::transcript(&draft.request, target);
    let after = Judgement::of(&transcript, transcript.messages.len() as u32, target, wants);
    if after.verdict == Verdict::Reject {
        return Some(Repair::none(request, judged, &after));
    }
    let origins = draft.origins();
    Some(Repair { verdict: after.verdict, edits: draft.edits, unrepaired: Vec::new(), request: draft.request, origins })
}

/// The rules that refuse what was judged.
fn errors(judged: &Judgement) -> BTreeSet<&'static str> {
    let errors = judged.findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| finding.rule).collect()
}

/// Answers the first rule of the table that is broken and can be answered; in the first round all those of history.
fn answer<'a>(
    draft: &mut Draft,
    findings: &'a [Finding],
    is_first: bool,
    round: &dyn Fn(Vec<&'a Finding>) -> Round<'a>,
) {
    let has_history = is_first && findings.iter().any(|finding| OF_HISTORY.contains(&finding.rule));
    let before = draft.edits.len();
    for (rule, fix) in FIXES.iter().filter(|(rule, _)| !has_history || OF_HISTORY.contains(rule)) {
        let found: Vec<&Finding> = findings.iter().filter(|finding| finding.rule == *rule).collect();
        if found.is_empty() {
            continue;
        }
        draft.rule = rule;
        fix(&round(found), draft);
        if draft.edits.len() > before && !has_history {
            return;
        }
    }
}

/// A step down both lists, of which the original has `old` and the repaired one `new`, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// In its place, with the same words or others.
    Stays { old: usize, new: usize },
    /// Gone from here; it may stand elsewhere.
    Leaves { old: usize },
    /// Put here, new or from elsewhere.
    Comes { new: usize },
}

impl Repair {
    /// No edit of a request that would be refused after all that is known. It names what is left then; where that is
    /// nothing that the request was refused for, also what it was refused for: the one led to the other.
    fn none(request: &Request, judged: &Judgement, after: &Judgement) -> Repair {
        let (before, mut unrepaired) = (errors(judged), errors(after));
        if unrepaired.is_disjoint(&before) {
            unrepaired.extend(before);
        }
        Repair {
            verdict: judged.verdict,
            edits: Vec::new(),
            unrepaired: unrepaired.into_iter().collect(),
            request: request.clone(),
            origins: (0..request.messages.len() as u32).map(Some).collect(),
        }
    }

    /// Both lists at once, in order.
    pub fn steps(&self, original: &Request) -> Vec<Step> {
        let stays = patch::in_order(&self.origins);
        let mut steps = Vec::with_capacity(self.origins.len());
        let mut old = 0;
        for (new, origin) in self.origins.iter().enumerate() {
            match origin.map(|origin| origin as usize).filter(|origin| stays[*origin]) {
                Some(origin) => {
                    steps.extend((old..origin).map(|old| Step::Leaves { old }));
                    steps.push(Step::Stays { old: origin, new });
                    old = origin + 1;
                }
                None => steps.push(Step::Comes { new }),
            }
        }
        steps.extend((old..original.messages.len()).map(|old| Step::Leaves { old }));
        steps
    }

    /// Whether the target takes the request now, as far as its rules are known.
    pub fn is_complete(&self) -> bool {
        self.verdict != Verdict::Reject
    }

    /// The body of the repaired request.
    pub fn body(&self) -> Value {
        (dialects::for_api(self.request.api).render)(&self.request)
    }

    /// What turns the body of the original request into that of the repaired one: operations of a JSON Patch (RFC 6902).
    pub fn patch(&self, original: &Request) -> Vec<Value> {
        let before = (dialects::for_api(original.api).render)(original);
        patch::between(&before, &self.body(), list(original.api), &self.origins)
    }

    /// As the command line writes it.
    pub fn to_json(&self, original: &Request) -> Value {
        let edits = self.edits.iter().map(|edit| json!({"rule": edit.rule, "path": edit.path, "why": edit.why}));
        json!({
            "verdict_after": self.verdict.as_str(),
            "unrepaired": self.unrepaired,
            "edits": edits.collect::<Vec<_>>(),
            "patch": self.patch(original),
        })
    }
}

/// The member that holds the messages of an API.
fn list(api: Api) -> &'static str {
    match api {
        Api::OpenaiResponses => "input",
        Api::GeminiGenerateContent => "contents",
        _ => "messages",
    }
}
