//! `cutpoint check`: languages that are stated, and the forms in which findings are told.

use std::fs;

use serde_json::{Value, json};

use crate::cli::{Ran, run, run_with};

const ORPHAN: &str = r#"{"model": "claude-opus-4-7", "messages": [{"role": "user", "content": [
    {"type": "tool_result", "tool_use_id": "k&1<\"\u0001", "content": "hot"}]}]}"#;

fn one_line(body: &str) -> String {
    serde_json::from_str::<Value>(body).unwrap().to_string()
}

fn check(body: &str, flags: &[&str]) -> Ran {
    run_with(&[&["check", "-"], flags].concat(), body.as_bytes())
}

/// Judges by one rule, whatever others may find.
const ONE: [&str; 2] = ["--select", "orphan_tool_result"];

/// The requests of the JSON form.
#[track_caller]
fn requests(ran: &Ran) -> Vec<Value> {
    let document: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{} {}", ran.stdout, ran.stderr));
    assert_eq!(document["schema_version"], 1);
    document["requests"].as_array().unwrap().clone()
}

#[track_caller]
fn apis(ran: &Ran) -> Vec<String> {
    requests(ran).iter().map(|request| request["api"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_language_of_bodies_can_be_stated() {
    let body = r#"{"messages": [{"role": "user", "content": "Fire the kiln."}]}"#;
    let strange = r#"{"messages": [{"role": "user", "content": "Fire the kiln."}], "shelf": 3}"#;
    for api in ["anthropic.messages", "openai.chat", "bedrock.converse", "mistral.chat"] {
        let flags = ["--api", api, "--output", "json"];
        assert_eq!(apis(&check(body, &flags)), [api]);
        assert_eq!(apis(&check(strange, &flags)), [api]);
        assert_eq!(apis(&check(&format!("[{body}, {strange}]"), &flags)), [api, api]);
        assert_eq!(apis(&check(&format!("{body}\n{strange}\n"), &flags)), [api, api]);
        let named = format!(r#"{{"api": "gemini.generate_content", "request": {body}}}"#);
        let unknown = format!(r#"{{"api": "smoke.signals", "request": {body}}}"#);
        assert_eq!(apis(&check(&format!("{named}\n{unknown}\n"), &flags)), [api, api]);
    }
    let responses = check(r#"{"model": "m", "input": "Kiln?"}"#, &["--api", "openai.responses", "-o", "json"]);
    assert_eq!(apis(&responses), ["openai.responses"]);
    let gemini = check(r#"{"contents": []}"#, &["--api", "gemini.generate_content", "-o", "json"]);
    assert_eq!(apis(&gemini), ["gemini.generate_content"]);
}

#[test]
fn a_language_that_is_unknown_or_does_not_fit_is_named() {
    check(ORPHAN, &["--api", "smoke.signals"]).refuses(2, &["smoke.signals", "openai.responses", "bedrock.converse"]);
    check(ORPHAN, &["--api", "gemini.generate_content"]).refuses(2, &["-:1", "`contents`", "no request could be read"]);
    let other = run(&["check", "samples/demo.jsonl", "--api", "mistral.chat"]);
    other.refuses(100, &["--api mistral.chat", "35 requests in openai.chat"]);
}

#[test]
fn a_profile_of_another_language_is_told() {
    check(ORPHAN, &["--profile", "deepseek"]).refuses(100, &["--profile deepseek", "1 request in anthropic.messages"]);
    let chat = r#"{"messages": [{"role": "user", "content": "Kiln?"}]}"#;
    let ran = check(chat, &["--api", "openai.chat", "--profile", "mistral", "-o", "json"]);
    assert_eq!((apis(&ran), ran.stderr.as_str()), (vec!["mistral.chat".to_owned()], ""));
    let ran = check(ORPHAN, &["--profile", "strict-gateway"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (100, ""));
}

#[test]
fn folders_patterns_and_lines_are_checked_whole() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    fs::create_dir(folder.path().join("deep")).unwrap();
    let (orphan, good) =
        (one_line(ORPHAN), r#"{"model": "gpt-4.1", "messages": [{"role": "user", "content": "Kiln?"}]}"#);
    write("a.jsonl", &format!("{orphan}\n{orphan}\n"));
    write("deep/b.json", good);
    write("deep/notes.txt", "no log");
    let path = folder.path().display().to_string();
    for paths in [vec![path.clone()], vec![format!("{path}/*.jsonl"), format!("{path}/**/b.json")]] {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let ran = run(&[&["check", "-o", "json"], &paths[..]].concat());
        assert_eq!(ran.code, 100, "{}", ran.stderr);
        let places: Vec<String> = requests(&ran)
            .iter()
            .map(|request| format!("{}:{}", request["source"].as_str().unwrap().replace(&path, ""), request["line"]))
            .collect();
        assert_eq!(places, ["/a.jsonl:1", "/a.jsonl:2", "/deep/b.json:1"]);
    }
    let table = run(&[&["check", path.as_str()], &ONE[..]].concat());
    assert!(table.stdout.contains("3 requests: 2 would be refused, 1 would be taken\n"), "{}", table.stdout);
    assert!(table.stdout.contains("orphan_tool_result (error): 2 in 2 requests\n"), "{}", table.stdout);
    assert!(!table.stdout.contains('\u{1b}'));
}

#[test]
fn a_finding_has_its_place_in_json() {
    let finding = requests(&check(ORPHAN, &[&ONE[..], &["-o", "json"]].concat()))[0]["findings"][0].clone();
    assert_eq!((&finding["rule"], &finding["severity"]), (&json!("orphan_tool_result"), &json!("error")));
    assert_eq!((&finding["message_index"], &finding["block_index"]), (&json!(0), &json!(0)));
    assert_eq!(finding["path"], "messages.0.content.0");
    assert_eq!(finding["ids"], json!(["k&1<\"\u{1}"]));
}

#[test]
fn nothing_to_check_is_no_document() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("transcript.jsonl").display().to_string();
    fs::write(&path, r#"{"type": "summary", "summary": "Kilns", "leafUuid": "u"}"#).unwrap();
    for form in ["json", "sarif", "junit", "github", "table"] {
        let ran = run(&["check", &path, "--output", form]);
        assert!(ran.stdout.is_empty() && [2, 4].contains(&ran.code), "{form}: {} {}", ran.code, ran.stdout);
        assert_eq!(run(&["check", "no/such/file", "--output", form]).code, 2);
    }
}

/// A file with a request that is refused on its second line, and what a form says of it.
fn told(form: &str) -> (tempfile::TempDir, Ran) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a b,c.jsonl");
    let good = r#"{"model": "claude-opus-4-7", "messages": [{"role": "user", "content": "Kiln?"}]}"#;
    fs::write(&path, format!("{good}\n{}\n", one_line(ORPHAN))).unwrap();
    let ran = run(&[&["check", path.to_str().unwrap(), "--output", form], &ONE[..]].concat());
    assert_eq!(ran.code, 100, "{}", ran.stderr);
    (folder, ran)
}

#[test]
fn sarif_has_the_members_that_the_standard_requires() {
    let (folder, ran) = told("sarif");
    let log: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"].as_array().unwrap()[0];
    let driver = &run["tool"]["driver"];
    assert!(driver["name"].is_string());
    let rules = driver["rules"].as_array().unwrap();
    for (rule, own) in rules.iter().zip(cutpoint::rules::RULES) {
        assert_eq!(rule["id"], own.id);
        for text in ["/shortDescription/text", "/fullDescription/text", "/help/text", "/help/markdown"] {
            assert!(rule.pointer(text).and_then(Value::as_str).is_some_and(|text| !text.is_empty()), "{text}: {rule}");
        }
        assert!(rule.get("helpUri").is_none());
    }
    let results = run["results"].as_array().unwrap();
    assert_eq!((rules.len(), results.len()), (cutpoint::rules::RULES.len(), 1));
    let result = &results[0];
    assert_eq!(rules[result["ruleIndex"].as_u64().unwrap() as usize]["id"], result["ruleId"]);
    assert!(result["message"]["text"].is_string() && result["level"] == "error");
    let location = &result["locations"][0];
    let uri = format!("file://{}/a%20b%2Cc.jsonl", folder.path().display());
    assert_eq!(location["physicalLocation"]["artifactLocation"]["uri"], uri);
    assert_eq!(location["physicalLocation"]["region"]["startLine"], 2);
    assert_eq!(location["logicalLocations"][0]["fullyQualifiedName"], "messages.0.content.0");
}

#[test]
fn sarif_of_standard_input_names_no_file_and_of_good_requests_no_result() {
    let log: Value = serde_json::from_str(&check(ORPHAN, &[&ONE[..], &["-o", "sarif"]].concat()).stdout).unwrap();
    let location = &log["runs"][0]["results"][0]["locations"][0];
    assert!(location.get("physicalLocation").is_none() && location.get("logicalLocations").is_some());
    let good = check(r#"{"model": "gpt-4.1", "messages": [{"role": "user", "content": "a"}]}"#, &["-o", "sarif"]);
    let log: Value = serde_json::from_str(&good.stdout).unwrap();
    assert_eq!(log["runs"][0]["results"], json!([]));
}

#[test]
fn junit_has_a_case_a_request_and_escapes_what_it_quotes() {
    let (_folder, ran) = told("junit");
    let text = &ran.stdout;
    assert!(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites"), "{text}");
    assert!(text.contains("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""), "{text}");
    assert_eq!((text.matches("<testcase ").count(), text.matches("<failure ").count()), (2, 1));
    assert!(text.contains("k&amp;1&lt;&quot;\u{fffd}") && !text.contains('\u{1}'), "{text}");
    assert!(text.ends_with("</testsuite>\n</testsuites>\n"), "{text}");
    balanced(text);
}

/// Every element that begins also ends, in order.
fn balanced(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    for tag in text.split('<').skip(1).filter(|tag| !tag.starts_with('?')) {
        let (inside, _) = tag.split_once('>').unwrap();
        match inside.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "{text}"),
            None if inside.ends_with('/') => {}
            None => open.push(inside.split(' ').next().unwrap()),
        }
    }
    assert!(open.is_empty(), "{open:?} {text}");
}

#[test]
fn odd_shapes_are_told_in_every_form_and_language() {
    let odd = [
        r#"{"messages": [{"role": "user"}, {"content": [{"type": "tool_result"}]}, 7, null, [], {"role": 3, "content": 5}]}"#,
        r#"{"messages": [{"role": "tool", "content": null}, {"role": "assistant", "content": {}, "tool_calls": [5]}]}"#,
        r#"{"input": [5, {"type": "function_call_output"}, {"type": "reasoning"}], "messages": [], "contents": [{"parts": [1, {}]}]}"#,
        "{\"messages\": [{\"role\": \"\u{202e}\u{1b}[2J\", \"content\": \"窯窯窯\u{7f}\"}], \"contents\": [], \"input\": 5}",
    ];
    let body = odd.join("\n");
    for api in cutpoint::model::Api::ALL {
        for form in ["table", "json", "sarif", "junit", "github", "table --repair", "json --repair"] {
            let words: Vec<&str> = form.split(' ').collect();
            let ran = check(&body, &[&["--api", api.id(), "--all", "--output"], &words[..]].concat());
            assert!(
                !ran.stderr.contains("panicked") && [0, 2, 100].contains(&ran.code),
                "{api} {form}: {}",
                ran.stderr
            );
            assert!(
                form.starts_with("json") || !ran.stdout.contains(['\u{1b}', '\u{7f}']),
                "{api} {form}: {}",
                ran.stdout
            );
        }
    }
}

#[test]
fn github_gets_a_command_a_finding() {
    let (folder, ran) = told("github");
    let path = folder.path().display();
    let command = format!("::error file={path}/a b%2Cc.jsonl,line=2,title=orphan_tool_result::messages.0.content.0: ");
    assert!(ran.stdout.starts_with(&command), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("\n2 requests: 1 would be refused, 1 would be taken\n"), "{}", ran.stdout);
}

/// A request that lost the call of a result, and one that is taken.
const BROKEN: &str = r#"{"model": "gpt-4.1", "messages": [{"role": "tool", "tool_call_id": "k", "content": "hot"},
    {"role": "user", "content": "Kiln?"}]}"#;
const SOUND: &str = r#"{"model": "gpt-4.1", "messages": [{"role": "user", "content": "Kiln?"}]}"#;

#[test]
fn a_repair_is_told_as_a_patch_and_drawn() {
    let ran = check(&format!("[{BROKEN}, {SOUND}]"), &["--repair", "-o", "json"]);
    let told = requests(&ran);
    assert_eq!(ran.code, 100);
    assert_eq!(told[0]["verdict"], "reject");
    assert_eq!(told[0]["repair"]["verdict_after"], "accept");
    assert_eq!(told[0]["repair"]["patch"], json!([{"op": "remove", "path": "/messages/0"}]));
    assert_eq!(told[0]["repair"]["edits"][0]["path"], "messages.[0].role");
    assert_eq!(told[1]["repair"], Value::Null);
    assert!(requests(&check(BROKEN, &["-o", "json"]))[0].get("repair").is_none());
    let drawn = check(BROKEN, &["--repair"]).stdout;
    assert!(drawn.contains("\n  repair: accept after 1 edit\n"), "{drawn}");
    assert!(drawn.contains("\n    - 0  tool       tool result k \"hot\"\n      0  user"), "{drawn}");
    assert!(drawn.ends_with("\nrepaired: 1 of 1 that would be refused\n"), "{drawn}");
}

#[test]
fn a_repair_that_is_not_known_is_said_with_the_remedy() {
    let ran = check(r#"{"model": "gpt-4.1", "messages": []}"#, &["--repair"]);
    assert!(ran.stdout.contains("repair: none\n    no repair is known for empty_messages: "), "{}", ran.stdout);
    let told = requests(&check(r#"{"model": "gpt-4.1", "messages": []}"#, &["--repair", "-o", "json"]));
    assert_eq!(told[0]["repair"]["unrepaired"], json!(["empty_messages"]));
}

#[test]
fn a_repaired_request_is_written_and_never_over_the_input() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (input, output) = (at("request.json"), at("repaired.json"));
    fs::write(&input, BROKEN).unwrap();
    assert_eq!(run(&["check", &input, "--repair", "--write", &output]).code, 100);
    let written: Value = serde_json::from_str(&fs::read_to_string(&output).unwrap()).unwrap();
    assert_eq!(written, serde_json::from_str::<Value>(SOUND).unwrap());
    assert_eq!(run(&["check", &output]).code, 0);
    let over = ["check", &input, "--repair", "--write", &folder.path().join("./request.json").display().to_string()]
        .map(str::to_owned);
    run(&over.each_ref().map(String::as_str)).refuses(2, &["is what was read"]);
    assert_eq!(fs::read_to_string(&input).unwrap(), BROKEN);
    check(&format!("[{BROKEN}, {SOUND}]"), &["--repair", "--write", &at("two.json")]).refuses(2, &["one request", "2"]);
    let empty = check(r#"{"model": "gpt-4.1", "messages": []}"#, &["--repair", "--write", &at("none.json")]);
    assert!(empty.stderr.contains("was not written: no repair is known for empty_messages"), "{}", empty.stderr);
    assert!(!folder.path().join("two.json").exists() && !folder.path().join("none.json").exists());
}

#[test]
fn forms_that_cannot_tell_a_repair_refuse_it() {
    for form in ["sarif", "junit", "github"] {
        check(BROKEN, &["--repair", "-o", form]).refuses(2, &["table", "json"]);
    }
    check(BROKEN, &["--write", "x.json"]).refuses(2, &["--repair"]);
}
