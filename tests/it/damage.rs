//! Valid requests of every API, damaged at random and repaired.

use cutpoint::dialects;
use cutpoint::judge::judge;
use cutpoint::model::{Api, Request};
use cutpoint::profiles::PROFILES;
use cutpoint::rules::{Finding, Severity, Target, Verdict};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::{Value, json};

use crate::dialects::{body as any_body, item, said_in};
use crate::repair::{render, repaired};

/// A turn: the calls of each step that the assistant takes before it answers, and whether it says something beside them.
type Turn = Vec<(usize, bool)>;

fn turns() -> impl Strategy<Value = Vec<Turn>> {
    prop::collection::vec(prop::collection::vec((1_usize..4, any::<bool>()), 0..3), 1..4)
}

/// The messages of one API that say these turns; every list ends with the user.
fn list(api: Api, turns: &[Turn]) -> Vec<Value> {
    let mut list = Vec::new();
    for (number, turn) in turns.iter().enumerate() {
        list.push(user(api, &format!("Fire kiln {number}.")));
        for (step, (n_calls, says)) in turn.iter().enumerate() {
            let ids: Vec<String> = (0..*n_calls).map(|call| format!("kiln{number}{step}{call}00")).collect();
            list.extend(step_of(api, &ids, *says));
        }
        list.push(assistant(api, &format!("Kiln {number} is hot."), number));
    }
    list.push(user(api, "And now?"));
    list
}

fn user(api: Api, text: &str) -> Value {
    match api {
        Api::AnthropicMessages => json!({"role": "user", "content": [{"type": "text", "text": text}]}),
        Api::GeminiGenerateContent => json!({"role": "user", "parts": [{"text": text}]}),
        Api::BedrockConverse => json!({"role": "user", "content": [{"text": text}]}),
        _ => json!({"role": "user", "content": text}),
    }
}

fn assistant(api: Api, text: &str, number: usize) -> Value {
    match api {
        Api::OpenaiResponses => json!({"type": "message", "id": format!("msg_{number}"), "role": "assistant",
            "content": [{"type": "output_text", "text": text}]}),
        Api::GeminiGenerateContent => json!({"role": "model", "parts": [{"text": text}]}),
        Api::BedrockConverse => json!({"role": "assistant", "content": [{"text": text}]}),
        _ => json!({"role": "assistant", "content": text}),
    }
}

fn step_of(api: Api, ids: &[String], says: bool) -> Vec<Value> {
    let said = "So.";
    let each = |entry: &dyn Fn(&String) -> Value| ids.iter().map(entry).collect::<Vec<Value>>();
    match api {
        Api::AnthropicMessages => {
            let mut asks = vec![json!({"type": "thinking", "thinking": "Hm.", "signature": "c2ln"})];
            asks.extend(says.then(|| json!({"type": "text", "text": said})));
            asks.extend(each(&|id| json!({"type": "tool_use", "id": id, "name": "kiln", "input": {"id": id}})));
            let answers = each(&|id| json!({"type": "tool_result", "tool_use_id": id, "content": "hot"}));
            vec![json!({"role": "assistant", "content": asks}), json!({"role": "user", "content": answers})]
        }
        Api::BedrockConverse => {
            let mut asks: Vec<Value> = says.then(|| json!({"text": said})).into_iter().collect();
            asks.extend(each(&|id| json!({"toolUse": {"toolUseId": id, "name": "kiln", "input": {"id": id}}})));
            let answers = each(&|id| json!({"toolResult": {"toolUseId": id, "content": [{"text": "hot"}]}}));
            vec![json!({"role": "assistant", "content": asks}), json!({"role": "user", "content": answers})]
        }
        Api::GeminiGenerateContent => {
            let mut asks: Vec<Value> = says.then(|| json!({"text": said})).into_iter().collect();
            asks.extend(each(&|id| json!({"functionCall": {"name": format!("f{}", id.len()), "args": {}}})));
            asks[usize::from(says)]["thoughtSignature"] = "c2ln".into();
            let answers = each(
                &|id| json!({"functionResponse": {"name": format!("f{}", id.len()), "response": {"heat": "hot"}}}),
            );
            vec![json!({"role": "model", "parts": asks}), json!({"role": "user", "parts": answers})]
        }
        Api::OpenaiResponses => {
            let mut items = vec![json!({"type": "reasoning", "id": format!("rs_{}", ids[0]), "summary": [],
                "encrypted_content": "c2ln"})];
            items.extend(each(&|id| {
                json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": id,
                "name": "kiln", "arguments": "{}"})
            }));
            items.extend(each(&|id| json!({"type": "function_call_output", "call_id": id, "output": "hot"})));
            items
        }
        Api::OpenaiChat | Api::MistralChat => {
            let call =
                |id: &String| json!({"id": id, "type": "function", "function": {"name": "kiln", "arguments": "{}"}});
            let content = if says { said.into() } else { Value::Null };
            let mut messages = vec![json!({"role": "assistant", "content": content, "tool_calls": each(&call)})];
            messages.extend(each(&|id| json!({"role": "tool", "tool_call_id": id, "content": "hot"})));
            messages
        }
    }
}

/// A request of an API with that list, for a model that takes the least.
fn body(api: Api, list: Vec<Value>) -> Value {
    match api {
        Api::AnthropicMessages => json!({"model": "claude-opus-4-7", "max_tokens": 99,
            "tools": [{"name": "kiln", "input_schema": {"type": "object"}}], "messages": list}),
        Api::BedrockConverse => json!({"modelId": "anthropic.claude-opus-4-7",
            "toolConfig": {"tools": [{"toolSpec": {"name": "kiln"}}]}, "messages": list}),
        Api::GeminiGenerateContent => json!({"model": "gemini-3.5-pro", "contents": list}),
        Api::OpenaiResponses => json!({"model": "gpt-5", "input": list}),
        Api::MistralChat => json!({"model": "mistral-large-latest", "messages": list}),
        Api::OpenaiChat => json!({"model": "gpt-4.1", "messages": list}),
    }
}

/// One thing that goes wrong.
#[derive(Clone, Copy, Debug)]
enum Damage {
    DropMessage(usize),
    DropBlock(usize, usize),
    RepeatMessage(usize, usize),
    RepeatBlock(usize, usize),
    Swap(usize, usize),
    Interrupt(usize),
    TurnBlocks(usize),
    ChangeId(usize, usize, bool),
    CutHead(usize),
    CutTail(usize),
}

fn damages() -> impl Strategy<Value = Vec<Damage>> {
    let at = || 0_usize..40;
    let one = prop_oneof![
        at().prop_map(Damage::DropMessage),
        (at(), at()).prop_map(|(at, block)| Damage::DropBlock(at, block)),
        (at(), at()).prop_map(|(from, to)| Damage::RepeatMessage(from, to)),
        (at(), at()).prop_map(|(at, block)| Damage::RepeatBlock(at, block)),
        (at(), at()).prop_map(|(one, other)| Damage::Swap(one, other)),
        at().prop_map(Damage::Interrupt),
        at().prop_map(Damage::TurnBlocks),
        (at(), at(), any::<bool>()).prop_map(|(at, block, is_bad)| Damage::ChangeId(at, block, is_bad)),
        (0_usize..6).prop_map(Damage::CutHead),
        (0_usize..6).prop_map(Damage::CutTail),
    ];
    prop::collection::vec(one, 1..5)
}

/// The blocks of a message.
fn blocks(message: &mut Value) -> Option<&mut Vec<Value>> {
    let name = ["content", "parts", "tool_calls"].into_iter().find(|name| message[*name].is_array())?;
    message[name].as_array_mut()
}

/// The ids of calls and results in a message.
fn ids(value: &mut Value) -> Vec<&mut Value> {
    const NAMES: [&str; 4] = ["tool_use_id", "tool_call_id", "call_id", "toolUseId"];
    match value {
        Value::Object(fields) => {
            let is_call = fields.get("type").is_some_and(|kind| kind == "tool_use" || kind == "function");
            let is_id = |name: &String| NAMES.contains(&name.as_str()) || (name == "id" && is_call);
            fields.iter_mut().flat_map(|(name, value)| if is_id(name) { vec![value] } else { ids(value) }).collect()
        }
        Value::Array(values) => values.iter_mut().flat_map(ids).collect(),
        _ => Vec::new(),
    }
}

fn damage(api: Api, list: &mut Vec<Value>, damage: Damage) {
    let n = list.len();
    if n == 0 {
        return;
    }
    match damage {
        Damage::DropMessage(at) => drop(list.remove(at % n)),
        Damage::RepeatMessage(from, to) => list.insert(to % (n + 1), list[from % n].clone()),
        Damage::Swap(one, other) => list.swap(one % n, other % n),
        Damage::Interrupt(at) => list.insert(at % (n + 1), user(api, "Wait!")),
        Damage::CutHead(cut) => drop(list.drain(..cut.min(n))),
        Damage::CutTail(cut) => list.truncate(n.saturating_sub(cut)),
        Damage::DropBlock(at, block) => {
            let Some(blocks) = blocks(&mut list[at % n]).filter(|blocks| blocks.len() > 1) else { return };
            blocks.remove(block % blocks.len());
        }
        Damage::RepeatBlock(at, block) => {
            let Some(blocks) = blocks(&mut list[at % n]).filter(|blocks| !blocks.is_empty()) else { return };
            blocks.push(blocks[block % blocks.len()].clone());
        }
        Damage::TurnBlocks(at) => blocks(&mut list[at % n]).into_iter().for_each(|blocks| blocks.reverse()),
        Damage::ChangeId(at, block, is_bad) => {
            let mut ids = ids(&mut list[at % n]);
            let n = ids.len();
            if n > 0 {
                *ids[block % n] = if is_bad { "kiln 1:é" } else { "kiln00000" }.into();
            }
        }
    }
}

/// What the user says, sorted.
fn words(request: &Request) -> Vec<String> {
    let body = render(request).to_string();
    let mut words: Vec<String> = Vec::new();
    for said in ["And now?", "Wait!", "Fire kiln 0.", "Fire kiln 1.", "Fire kiln 2."] {
        words.extend(body.matches(said).map(str::to_owned));
    }
    words
}

/// Damages the requests of one API, and says what cannot be repaired.
fn check(api: Api, turns: &[Turn], damages: &[Damage]) -> Result<(), TestCaseError> {
    let mut list = list(api, turns);
    damages.iter().for_each(|one| damage(api, &mut list, *one));
    list.push(user(api, "And now?"));
    let request = (dialects::for_api(api).parse)(body(api, list)).unwrap();
    let target = Target::new(api, request.model.as_deref());
    let judged = judge(&request, &target);
    let Some(repair) = repaired(&request, &target, &judged) else {
        prop_assert_ne!(judged.verdict, Verdict::Reject);
        return Ok(());
    };
    let said = || format!("{:?} {:#?} of {}", repair.unrepaired, repair.edits, render(&request));
    // Mistral wants the assistant to speak between results and the user, which nobody can make up.
    let is_known = |rule: &str| api == Api::MistralChat && rule == "user_after_tool";
    if !repair.is_complete() {
        prop_assert!(repair.unrepaired.iter().any(|rule| is_known(rule)), "{}", said());
        prop_assert!(repair.edits.is_empty() && repair.request == request, "{}", said());
        return Ok(());
    }
    prop_assert_eq!(words(&request), words(&repair.request), "{}", said());
    let is_new = |finding: &&Finding| judged.findings.iter().all(|old| old.rule != finding.rule);
    let after = judge(&repair.request, &target).findings;
    // Where the head of a list is gone, its first round may go as well.
    let is_fine = |finding: &Finding| {
        finding.severity == Severity::Info || finding.rule == "first_message_not_user" || is_known(finding.rule)
    };
    let new: Vec<&Finding> = after.iter().filter(is_new).filter(|finding| !is_fine(finding)).collect();
    prop_assert!(new.is_empty(), "{:?} {}", new, said());
    Ok(())
}

/// Runs a property over every API and tells all that fail.
fn hold<S: Strategy>(cases: &S, property: impl Fn(Api, S::Value) -> Result<(), TestCaseError>) {
    let failures: Vec<String> = Api::ALL
        .iter()
        .filter_map(|api| {
            let config = Config { failure_persistence: None, ..Config::default() };
            let run = TestRunner::new(config).run(cases, |case| property(*api, case));
            run.err().map(|failure| format!("{api}: {failure}"))
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn what_is_damaged_is_repaired_and_no_word_of_the_user_is_lost() {
    hold(&(turns(), damages()), |api, (turns, damages)| check(api, &turns, &damages));
}

#[test]
fn what_is_taken_is_left_alone() {
    hold(&turns(), |api, turns| {
        let request = (dialects::for_api(api).parse)(body(api, list(api, &turns))).unwrap();
        let target = Target::new(api, request.model.as_deref());
        let judged = judge(&request, &target);
        prop_assert_ne!(judged.verdict, Verdict::Reject, "{:?}", judged.findings);
        prop_assert!(repaired(&request, &target, &judged).is_none());
        Ok(())
    });
}

#[test]
fn odd_bodies_are_repaired_or_named_and_patched_exactly() {
    let profile = prop::sample::select(PROFILES.iter().map(Some).chain([None]).collect::<Vec<_>>());
    let cases = (any_body(), prop::collection::vec(item(), 0..6), profile);
    hold(&cases, |api, (odd, items, profile)| {
        let mut odd = said_in(api, odd);
        if api == Api::OpenaiResponses {
            odd["input"].as_array_mut().unwrap().extend(items);
        }
        let mut request = (dialects::for_api(api).parse)(odd).unwrap();
        profile.into_iter().for_each(|profile| profile.adopt(&mut request));
        let profile = profile.filter(|profile| profile.speaks(request.api));
        let target = Target::of(request.api, profile, request.model.as_deref());
        let repair = repaired(&request, &target, &judge(&request, &target));
        prop_assert!(repair.is_none_or(|repair| repair.is_complete() == repair.unrepaired.is_empty()));
        Ok(())
    });
}
