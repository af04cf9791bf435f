//! Rules against cases worked out by hand, and against the textbook.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use cutpoint::dialects;
use cutpoint::model::{Api, Call, Gaps, Place, Reply, Request};
use cutpoint::profiles::{self, Profile};
use cutpoint::rules::{self, Finding, Severity, Target, Verdict};
use cutpoint::textbook::Textbook;
use cutpoint::transcript::{History, Prompt, Transcript, size};
use proptest::prelude::*;
use serde_json::{Value, json};

/// What the rules say of one request.
pub struct Judged {
    pub transcript: Transcript,
    pub findings: Vec<Finding>,
}

pub fn judge(request: &Request) -> Judged {
    judge_at(request, None)
}

fn judge_at(request: &Request, profile: Option<&'static Profile>) -> Judged {
    let transcript = Transcript::of_request(request, size::counter("chars4").unwrap());
    let resident: Vec<u32> = (0..transcript.messages.len() as u32).collect();
    judge_prompt(transcript, &resident, profile)
}

fn judge_prompt(transcript: Transcript, resident: &[u32], profile: Option<&'static Profile>) -> Judged {
    let target = Target::of(transcript.api, profile, transcript.model.as_deref());
    let findings = rules::check(&Prompt::new(&transcript, resident), &target);
    Judged { findings, transcript }
}

/// What the rules say of a case or an example: a body; the lines of a log, of which the last is judged; or a body as
/// `request`, of which only the messages `resident` are left, or about which a log leaves something open.
pub fn judge_case(api: Api, profile: Option<&'static Profile>, input: &Value) -> Option<Judged> {
    let parse = |body: &Value| {
        let mut request = (dialects::for_api(api).parse)(body.clone()).ok()?;
        if let Some(profile) = profile {
            profile.adopt(&mut request);
        }
        Some(request)
    };
    if let Some(lines) = input.as_array() {
        let mut history = History::new();
        let mut last = None;
        for line in lines {
            let call = call(parse(&line["request"])?, line);
            let mut transcript = Transcript::of_request(&call.request, size::counter("chars4").unwrap());
            history.follow(&call, std::slice::from_mut(&mut transcript));
            last = Some(transcript);
        }
        let resident: Vec<u32> = (0..last.as_ref()?.messages.len() as u32).collect();
        return Some(judge_prompt(last?, &resident, profile));
    }
    if input.get("request").is_none() {
        return Some(judge_at(&parse(input)?, profile));
    }
    let mut transcript = Transcript::of_request(&parse(&input["request"])?, size::counter("chars4").unwrap());
    let indexes = |name: &str| -> Option<Vec<u32>> {
        Some(input[name].as_array()?.iter().map(|index| index.as_u64().unwrap() as u32).collect())
    };
    let inserted: Vec<(u32, u32)> = indexes("range_tie").into_iter().flatten().map(|at| (at, 0)).collect();
    let gaps = Gaps { begins_late: input["begins_late"] == true, ties: vec![0] };
    transcript.mark_gaps(&gaps, &inserted);
    let resident = indexes("resident").unwrap_or_else(|| (0..transcript.messages.len() as u32).collect());
    Some(judge_prompt(transcript, &resident, profile))
}

pub fn call(request: Request, line: &Value) -> Call {
    Call {
        judged: None,
        place: Place { source: "case".into(), line: 0 },
        id: None,
        session: line["session"].as_str().map(str::to_owned),
        time: None,
        server: None,
        response: (dialects::for_api(request.api).answer)(&line["response"]),
        request,
        reply: Reply::default(),
    }
}

fn parse(api: Api, body: Value) -> Request {
    (dialects::for_api(api).parse)(body).unwrap()
}

pub fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub fn folders(parent: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        fs::read_dir(parent).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

pub fn own_cases() -> Vec<(PathBuf, Value)> {
    let parent = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/check");
    folders(&parent).into_iter().map(|folder| (folder.clone(), read(&folder.join("expect.json")))).collect()
}

#[test]
fn every_case_gets_its_verdict_and_its_findings() {
    let wrong: Vec<String> = own_cases().iter().filter_map(|(folder, expect)| differs(folder, expect)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a case of ours gets in the place of what it expects.
fn differs(folder: &Path, expect: &Value) -> Option<String> {
    let api = Api::from_id(expect["api"].as_str().unwrap()).unwrap();
    let profile = expect["profile"].as_str().map(|id| profiles::profile(id).unwrap());
    let judged = judge_case(api, profile, &read(&folder.join("input.json"))).unwrap();
    let verdict = rules::verdict(&judged.findings).as_str();
    let found: Value = judged.findings.iter().map(|finding| as_json(finding, &judged.transcript)).collect();
    let is_right = expect["verdict"] == verdict && expect["findings"] == found;
    (!is_right).then(|| format!("{}: {verdict} {found}", folder.file_name().unwrap().display()))
}

fn as_json(finding: &Finding, transcript: &Transcript) -> Value {
    let ids: Vec<_> = finding.ids.iter().map(|id| transcript.id(*id).unwrap()).collect();
    json!({
        "rule": finding.rule,
        "severity": finding.severity.as_str(),
        "message_index": finding.message,
        "block_index": finding.block,
        "ids": ids,
    })
}

/// The folder of cases that are kept outside the repository, if it is there.
fn shared() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let folder = env::var_os("CUTPOINT_SHARED").map_or_else(beside, PathBuf::from);
    folder.join("cases").is_dir().then_some(folder)
}

/// Cases whose right answer is known and not given yet. One that is given must leave the list.
const OPEN: &[&str] = &[
    "605-xai-assistant-empty-list-with-reasoning",
    "609-groq-reasoning-content-replayed",
    "610-glm-no-user-message",
    "611-bedrock-error-result-empty",
    "613-bedrock-tooluse-input-string",
    "628-prefill-claude-opus-5",
    "638-responses-review-id",
    "641-chat-200-parallel-calls",
    "654-responses-custom-call-with-fc-id",
    "656-groq-reasoning-in-tool-turn",
    "658-ministral-two-users",
];

#[test]
fn cases_from_public_reports_get_their_verdict() {
    let Some(shared) = shared() else {
        eprintln!("not run: the shared cases are not at hand (CUTPOINT_SHARED)");
        return;
    };
    let (mut n_checked, mut wrong) = (0, Vec::new());
    for parent in ["cases/reports", "cases/checks"] {
        for folder in folders(&shared.join(parent)) {
            let name = folder.file_name().unwrap().display().to_string();
            let answer = check_shared(&folder);
            n_checked += usize::from(answer != Answer::Elsewhere);
            if let Answer::Wrong(why) = answer {
                wrong.push((name, why));
            }
        }
    }
    assert!(n_checked > 0);
    let names: Vec<&str> = wrong.iter().map(|(name, _)| name.as_str()).collect();
    let unexpected: Vec<_> = wrong.iter().filter(|(name, _)| !OPEN.contains(&name.as_str())).collect();
    assert!(unexpected.is_empty(), "{unexpected:#?}");
    let given: Vec<_> = OPEN.iter().filter(|name| !names.contains(*name)).collect();
    assert!(given.is_empty(), "no longer open: {given:?}");
    eprintln!("{n_checked} shared cases checked, open: {names:?}");
}

/// How a case was answered.
#[derive(PartialEq)]
enum Answer {
    Right,
    Wrong(String),
    /// It asks about something else than a verdict.
    Elsewhere,
}

/// Whether each line of the case gets its verdict, and the log the rule at its place and no other error.
fn check_shared(folder: &Path) -> Answer {
    let expect = read(&folder.join("expect.json"));
    if expect["kind"] != "validate" {
        return Answer::Elsewhere;
    }
    differs_from(&expect["expected"], &check_log(folder, &expect)).map_or(Answer::Right, Answer::Wrong)
}

fn differs_from(expected: &Value, requests: &[Value]) -> Option<String> {
    let verdicts: Vec<&str> = requests.iter().map(|request| request["verdict"].as_str().unwrap()).collect();
    let of_lines = expected["per_line"].as_array();
    let wanted: Vec<&str> = match of_lines {
        Some(lines) => lines.iter().map(|line| line["verdict"].as_str().unwrap()).collect(),
        None => vec![expected["verdict"].as_str().unwrap()],
    };
    if verdicts != wanted {
        return Some(format!("{verdicts:?}, not {wanted:?}: {requests:?}"));
    }
    for (line, request) in of_lines.into_iter().flatten().zip(requests) {
        let mut sizes = ["total", "headroom", "over_by"].into_iter().filter(|size| line.get(size).is_some());
        if let Some(size) = sizes.find(|size| request[size] != line[size]) {
            return Some(format!("{size} is {}, not {}", request[size], line[size]));
        }
    }
    let place = |finding: &Value| (finding["rule"].clone(), finding["message_index"].clone());
    let mut right: Vec<(Value, Value)> = expected["findings"].as_array().into_iter().flatten().map(place).collect();
    let other = expected["also_acceptable"].as_array().into_iter().flatten();
    right.extend(other.map(|pair| (pair[0].clone(), pair[1].clone())));
    let found: Vec<&Value> = requests.iter().flat_map(|request| request["findings"].as_array().unwrap()).collect();
    // A case without findings asks for the verdict alone.
    let stray = found.iter().find(|finding| finding["severity"] == "error" && !right.contains(&place(finding)));
    if let Some(stray) = stray.filter(|_| !right.is_empty()) {
        return Some(format!("a finding that is none: {stray}"));
    }
    let is_named = right.is_empty() || found.iter().any(|finding| right.contains(&place(finding)));
    (!is_named).then(|| format!("{found:?} names none of {right:?}"))
}

/// What the program says of the log of a case.
fn check_log(folder: &Path, expect: &Value) -> Vec<Value> {
    let inputs = ["input.json", "input.jsonl"].map(|name| folder.join(name));
    let input = inputs.iter().find(|input| input.exists()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_cutpoint"));
    command.arg("check").arg(input).args(["--output", "json"]);
    if let Some(api) = expect["api"].as_str().and_then(Api::from_id) {
        command.args(["--api", api.id()]);
    }
    for option in ["model", "profile"] {
        if let Some(value) = expect[option].as_str() {
            command.args([format!("--{option}").as_str(), value]);
        }
    }
    let output = command.output().unwrap();
    let said: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}: {}", folder.display(), String::from_utf8_lossy(&output.stderr)));
    said["requests"].as_array().unwrap().clone()
}

/// Turns of a conversation: how many calls, which of them are answered, and whether a foreign result stands there.
fn turns() -> impl Strategy<Value = Vec<(Vec<bool>, bool)>> {
    let answered = prop_oneof![3 => Just(true), 1 => Just(false)];
    let foreign = prop_oneof![6 => Just(false), 1 => Just(true)];
    prop::collection::vec((prop::collection::vec(answered, 0..4), foreign), 0..6)
}

fn anthropic_body(turns: &[(Vec<bool>, bool)], tail: bool) -> Value {
    let mut messages = vec![json!({"role": "user", "content": "Fire the kiln."})];
    for (turn, (calls, foreign)) in turns.iter().enumerate() {
        let mut asks = vec![json!({"type": "text", "text": "So."})];
        let mut answers = Vec::new();
        for (call, answered) in calls.iter().enumerate() {
            let id = format!("k{turn}_{call}");
            asks.push(json!({"type": "tool_use", "id": id, "name": "kiln", "input": {}}));
            if *answered {
                answers.push(json!({"type": "tool_result", "tool_use_id": id, "content": "hot"}));
            }
        }
        if *foreign {
            answers.push(json!({"type": "tool_result", "tool_use_id": format!("x{turn}"), "content": "?"}));
        }
        answers.push(json!({"type": "text", "text": "Go on."}));
        messages.push(json!({"role": "assistant", "content": asks}));
        messages.push(json!({"role": "user", "content": answers}));
    }
    if tail {
        messages.pop();
    }
    json!({"messages": messages})
}

fn chat_body(turns: &[(Vec<bool>, bool)], tail: bool) -> Value {
    let mut messages = vec![json!({"role": "user", "content": "Fire the kiln."})];
    for (turn, (calls, foreign)) in turns.iter().enumerate() {
        let id = |call: usize| format!("k{turn}_{call}");
        let mut ask = json!({"role": "assistant", "content": "So."});
        if !calls.is_empty() {
            let entry =
                |call| json!({"id": id(call), "type": "function", "function": {"name": "kiln", "arguments": "{}"}});
            ask["tool_calls"] = (0..calls.len()).map(entry).collect();
        }
        messages.push(ask);
        let answered = (0..calls.len()).filter(|call| calls[*call]).map(id);
        for id in answered.chain(foreign.then(|| format!("x{turn}"))) {
            messages.push(json!({"role": "tool", "tool_call_id": id, "content": "hot"}));
        }
        messages.push(json!({"role": "user", "content": "Go on."}));
    }
    if tail {
        messages.pop();
    }
    json!({"messages": messages})
}

proptest! {
    #[test]
    fn the_textbook_and_the_rules_agree_on_the_first_message_at_fault(turns in turns(), tail: bool) {
        for (api, body) in [
            (Api::AnthropicMessages, anthropic_body(&turns, tail)),
            (Api::OpenaiChat, chat_body(&turns, tail)),
        ] {
            let judged = judge(&parse(api, body));
            let resident: Vec<u32> = (0..judged.transcript.messages.len() as u32).collect();
            let fault = Textbook::default().first_fault(&Prompt::new(&judged.transcript, &resident));
            let errors = || judged.findings.iter().filter(|finding| finding.severity == Severity::Error);
            let first = errors().next().map(|finding| finding.message.unwrap_or(0));
            if !resident.is_empty() {
                prop_assert_eq!(fault.map(|fault| fault.message), first, "{}: {:?}", api, judged.findings);
            }
        }
    }

    #[test]
    fn a_front_cut_of_a_valid_prompt_fails_only_as_an_orphan(
        n_calls in prop::collection::vec(0_usize..4, 1..6),
        cut in 0_usize..8,
    ) {
        let turns: Vec<_> = n_calls.iter().map(|n| (vec![true; *n], false)).collect();
        for (api, body) in [
            (Api::AnthropicMessages, anthropic_body(&turns, false)),
            (Api::OpenaiChat, chat_body(&turns, false)),
        ] {
            let transcript = judge(&parse(api, body)).transcript;
            let resident: Vec<u32> = (0..transcript.messages.len() as u32).skip(cut).collect();
            let Some(first) = resident.first() else { continue };
            let prompt = Prompt::new(&transcript, &resident);
            let findings = rules::check(&prompt, &Target::new(api, None));
            let errors: Vec<_> = findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
            prop_assert_eq!(errors.is_empty(), !transcript.messages[*first as usize].has_results);
            prop_assert!(errors.iter().all(|finding| finding.rule == "orphan_tool_result"));
        }
    }
}

#[test]
fn ids_that_repeat_from_turn_to_turn_are_taken_by_chat() {
    let ask = json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "kiln", "arguments": "{}"}}]});
    let answer = json!({"role": "tool", "tool_call_id": "c1", "name": "kiln", "content": ""});
    let start = json!({"role": "system", "content": "Be brief."});
    let user = json!({"role": "user", "content": "Fire the kiln."});
    let judged = judge(&parse(Api::OpenaiChat, json!({"messages": [start, user, ask, answer, ask, answer, user]})));
    assert_eq!(rules::verdict(&judged.findings), Verdict::Accept, "{:?}", judged.findings);
}

#[test]
fn recorded_chat_traffic_that_was_answered_is_taken_at_every_call() {
    let Some(shared) = shared().map(|folder| folder.join("traces/tau-bench/gpt-4o-airline.json")) else {
        eprintln!("skipped: no shared traces (CUTPOINT_SHARED)");
        return;
    };
    if !shared.exists() {
        return;
    }
    for session in read(&shared).as_array().unwrap() {
        let messages = session["traj"].as_array().unwrap();
        let request = parse(Api::OpenaiChat, json!({"messages": messages}));
        let transcript = judge(&request).transcript;
        for upto in 1..messages.len() {
            let is_call = messages[upto]["role"] == "assistant" && messages[upto - 1]["role"] != "assistant";
            let resident: Vec<u32> = (0..upto as u32).filter(|_| is_call).collect();
            let prompt = Prompt::new(&transcript, &resident);
            let findings = rules::check(&prompt, &Target::new(Api::OpenaiChat, None));
            let fault = Textbook::default().first_fault(&prompt);
            assert!(!is_call || (findings.is_empty() && fault.is_none()), "{}: {findings:?}", session["task_id"]);
        }
    }
}
