//! The dashboard, page by page, without a socket.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use cutpoint::cell::Cell;
use cutpoint::dash::{self, Hosts, Settings};
use cutpoint::model::{Defect, Place, Role, Session};
use cutpoint::outcome::{Cut, Outcome, PlayedCell, Tally};
use cutpoint::store::{NewRun, Packed, Store};
use tower::ServiceExt;

use crate::harness::Fresh;
use crate::sessions::{message, session};

const CELL: &str = "drop-oldest-message/0.9/trigger/200000/sticky";
const HOSTILE: &str = "<script>alert(1)</script>\u{202e}=cmd|' /C calc'!A0\u{0}";

struct Answer {
    status: StatusCode,
    kind: String,
    policy: String,
    text: String,
}

async fn get(router: &Router, address: &str) -> Answer {
    let request = Request::get(address).body(Body::empty()).unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    let header = |name| response.headers().get(name).map_or("", |value| value.to_str().unwrap()).to_owned();
    let (status, kind) = (response.status(), header(header::CONTENT_TYPE));
    let policy = header(header::CONTENT_SECURITY_POLICY);
    let bytes = to_bytes(response.into_body(), 1 << 24).await.unwrap();
    Answer { status, kind, policy, text: String::from_utf8(bytes.to_vec()).unwrap() }
}

#[track_caller]
fn assert_page(answer: &Answer, says: &[&str]) {
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    assert!(answer.kind.starts_with("text/html"), "{}", answer.kind);
    assert!(answer.policy.starts_with("default-src 'self'"), "{}", answer.policy);
    assert!(!answer.text.contains("<script") && !answer.text.contains(" style="), "{}", answer.text);
    for said in says {
        assert!(answer.text.contains(said), "no `{said}` in {}", answer.text);
    }
}

/// A store with one session, which one cell of one run broke; gives the numbers of session and run.
async fn fill(store: &Store, session: Session) -> (i64, i64) {
    store.begin_source("a.jsonl").await.unwrap();
    store.add(&[Packed::of(session, 0)]).await.unwrap();
    let session_id = store.session_lines(None, 1).await.unwrap()[0].id;
    let mut tally = Tally { sessions: 200, calls: 2_454, sessions_compacted: 46, ..Tally::default() };
    (tally.compactions, tally.bad_cuts, tally.sessions_400, tally.calls_400) = (190, 17, 11, 17);
    (tally.freed_reached, tally.deficit_reached) = (300, 200);
    tally.overshoot.add_ratio(300, 200);
    let other = "drop-oldest-round/0.9/0.5/model/stateless";
    let cells: Vec<Cell> = [CELL, other].iter().map(|key| key.parse().unwrap()).collect();
    let cut = Cut {
        call: 1,
        before: 900,
        deficit: 200,
        freed: 300,
        evicted_messages: 2,
        evicted_exchanges: 1,
        kept_from: 2,
        reached: true,
        broken: Some(("orphan_tool_result", 2)),
    };
    let outcome = Outcome { calls: 3, compactions: 1, calls_400: 1, first_bad_call: Some(1), ..Outcome::default() };
    let run = NewRun { counter: "chars4".into(), ..NewRun::default() };
    let mut writer = store.begin_run(&run, cells.iter()).await.unwrap();
    writer.add(session_id, &[PlayedCell { cell: 0, outcome, cuts: vec![cut] }]).await.unwrap();
    (session_id, writer.finish(&[tally.clone(), tally], 1).await.unwrap())
}

#[tokio::test]
async fn an_empty_store_says_how_to_begin() {
    let fresh = Fresh::database("dash_empty").await;
    let router = dash::router(Arc::new(fresh.store));
    assert_page(&get(&router, "/").await, &["cutpoint demo", "cutpoint ingest"]);
    assert_page(&get(&router, "/runs").await, &["No replay was kept yet"]);
    assert_page(&get(&router, "/sessions").await, &["No session is stored yet"]);
    let rules = get(&router, "/rules").await;
    assert_page(&rules, &["/rules/orphan_tool_result", "<section class=\"panel\" id=\"gemini.generate_content\""]);
    for rule in cutpoint::rules::RULES {
        assert!(rules.text.contains(&format!("/rules/{}\"", rule.id)), "{}", rule.id);
    }
    assert_page(&get(&router, "/rules/orphan_tool_result").await, &["Remedy", "Sources"]);
}

#[tokio::test]
async fn a_run_shows_its_figures_as_page_csv_and_json() {
    let fresh = Fresh::database("dash_run").await;
    let (session_id, run) = fill(&fresh.store, session("a.jsonl", "s", 6)).await;
    let router = dash::router(Arc::new(fresh.store));
    assert_page(&get(&router, "/").await, &["Latest runs", &format!("/runs/{run}")]);
    let page = get(&router, &format!("/runs/{run}")).await;
    assert_page(&page, &["tokens by chars4", "5.5 % (3.1 – 9.58)", "role=\"img\"", "1.5×", "aria-current=\"true\""]);
    assert!(page.text.contains(&format!("/sessions/{session_id}?run={run}&amp;cell={CELL}")), "{}", page.text);
    let other = get(&router, &format!("/runs/{run}?window=model&target=0.5&mode=stateless")).await;
    assert_page(&other, &["drop-oldest-round"]);
    assert!(!other.text.contains("drop-oldest-message<"));
    let csv = get(&router, &format!("/runs/{run}.csv")).await;
    assert!(csv.kind.starts_with("text/csv") && csv.text.lines().count() == 3, "{}", csv.text);
    let json = get(&router, &format!("/runs/{run}.json")).await;
    let json: serde_json::Value = serde_json::from_str(&json.text).unwrap();
    assert_eq!(json["cells"][0]["sessions_400"], 11);
    let csv = get(&router, &format!("/runs/{run}/overshoot.csv")).await;
    let fields: Vec<&str> = csv.text.lines().nth(1).unwrap().split(',').collect();
    assert_eq!((fields[0], fields[2], fields[3]), (CELL, "1", "1.000000"));
    assert!((fields[1].parse::<f64>().unwrap() / 1.5 - 1.0).abs() <= 0.001, "{}", fields[1]);
}

#[tokio::test]
async fn a_session_shows_the_cut_that_broke_it() {
    let fresh = Fresh::database("dash_session").await;
    let (id, run) = fill(&fresh.store, session("a.jsonl", "s", 6)).await;
    let router = dash::router(Arc::new(fresh.store));
    let says = ["/rules/orphan_tool_result", "evicted at call 1", "refused at call 1", "900 → 600 tokens", "s says 5"];
    assert_page(&get(&router, &format!("/sessions/{id}")).await, &says);
    assert_page(&get(&router, &format!("/sessions/{id}?run={run}&cell={CELL}")).await, &says);
    let untouched = "drop-oldest-round/0.9/0.5/model/stateless";
    let page = get(&router, &format!("/sessions/{id}?run={run}&cell={untouched}")).await;
    assert_page(&page, &["never compacted this session"]);
    assert!(!page.text.contains("evicted at call"));
    let csv = get(&router, &format!("/sessions/{id}.csv")).await;
    let line = format!("2,user,user,6,chars4,{CELL},,orphan_tool_result");
    assert_eq!(csv.text.lines().nth(3), Some(line.as_str()));
}

#[tokio::test]
async fn a_long_session_comes_in_windows_and_a_long_message_clipped() {
    let fresh = Fresh::database("dash_long").await;
    let mut long = session("a.jsonl", "s", 450);
    long.messages[201] = message(Role::Assistant, &format!("{}the end", "word ".repeat(1_000)));
    let (id, _) = fill(&fresh.store, long).await;
    let router = dash::router(Arc::new(fresh.store));
    let first = get(&router, &format!("/sessions/{id}")).await;
    assert!(first.text.contains("id=\"m-199\"") && !first.text.contains("id=\"m-200\""));
    let second = get(&router, &format!("/sessions/{id}?from=201")).await;
    assert_page(&second, &["id=\"m-200\"", "id=\"m-399\"", "Show all", "rel=\"prev\"", "rel=\"next\""]);
    assert!(!second.text.contains("the end") && !second.text.contains("id=\"m-400\""));
    assert_page(&get(&router, &format!("/sessions/{id}/messages/201")).await, &["the end"]);
    assert_page(&get(&router, &format!("/sessions/{id}?from=99999")).await, &["id=\"m-449\""]);
}

/// Texts of which each acts somewhere: as markup, out of an attribute, as an address, as a formula.
const ACTING: &[&str] = &[
    HOSTILE,
    "\" onmouseover=alert(1) x=\"",
    "' onfocus='alert(1)' autofocus='",
    "javascript:alert(1)",
    "</pre></td></title></textarea><img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "{{7*7}}{% raw %}",
    "=HYPERLINK(\"http://attacker.example\")",
    "+1+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    " =1+1",
    "\u{ff1d}1+1",
];

/// What a page must not hold: markup that acts, or an address that does.
#[track_caller]
fn assert_inert(answer: &Answer) {
    let tags = answer.text.split('<').skip(1).filter_map(|tag| tag.split('>').next());
    for tag in tags.map(str::to_ascii_lowercase) {
        // What a quoted attribute holds is inert, and quotes in it are written as entities.
        let names: String = tag.split('"').step_by(2).collect();
        assert!(!["script", "iframe", " on", "/on"].iter().any(|word| names.contains(word)), "<{tag}>");
        assert!(
            !["href", "src", "action"].iter().any(|name| tag.contains(&format!("{name}=\"javascript:"))),
            "<{tag}>"
        );
    }
    assert!(!answer.text.contains("src=x onerror=alert(1)>") && !answer.text.contains('\0'), "{}", answer.text);
}

#[tokio::test]
async fn hostile_text_is_inert_everywhere() {
    let Fresh { store, lease: _lease, .. } = Fresh::database("dash_hostile").await;
    let store = Arc::new(store);
    let router = dash::router(store.clone());
    for (at, text) in ACTING.iter().enumerate() {
        let mut hostile = session(&format!("{at}.jsonl"), text, 6);
        hostile.messages[0] = message(Role::Other((*text).into()), text);
        hostile.messages[1] = message(Role::User, &format!("{at} {text}"));
        hostile.model = Some((*text).into());
        hostile.place.source = format!("{at}{text}").into();
        store.begin_source(&hostile.place.source).await.unwrap();
        let place = Place { source: hostile.place.source.clone(), line: 3 };
        let (id, run) = fill(&store, hostile).await;
        store.add_defects(&[Defect { place, reason: (*text).into() }]).await.unwrap();
        for address in ["/", "/sessions", &format!("/runs/{run}"), &format!("/sessions/{id}")] {
            let page = get(&router, address).await;
            assert_page(&page, &[]);
            assert_inert(&page);
        }
        assert_inert(&get(&router, &format!("/sessions/{id}/messages/0")).await);
        assert_inert(&get(&router, &format!("/sessions?name={}", encoded(text))).await);
        let csv = get(&router, &format!("/sessions/{id}.csv")).await;
        assert!(csv.kind.starts_with("text/csv"), "{}", csv.kind);
        for field in fields(&csv.text) {
            let first = field.trim_start().chars().next();
            let acts = first.is_some_and(|first| "=+-@\u{ff1d}".contains(first));
            assert!(!acts, "`{field}` in {}", csv.text);
        }
    }
    assert_page(&get(&router, "/sessions").await, &["&#60;script&#62;"]);
}

/// The fields of comma-separated values, unquoted.
fn fields(csv: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    for character in csv.chars() {
        match character {
            '"' => quoted = !quoted,
            ',' | '\n' | '\r' if !quoted => fields.push(String::new()),
            other => fields.last_mut().unwrap().push(other),
        }
    }
    fields
}

/// A text as it stands in a query; NUL is refused there, and no text of a log keeps it.
fn encoded(text: &str) -> String {
    text.bytes().filter(|byte| *byte != 0).map(|byte| format!("%{byte:02X}")).collect()
}

#[tokio::test]
async fn wrong_addresses_say_what_is_wrong() {
    let fresh = Fresh::database("dash_wrong").await;
    let (id, run) = fill(&fresh.store, session("a.jsonl", "s", 6)).await;
    let router = dash::router(Arc::new(fresh.store));
    let session = format!("/sessions/{id}");
    for address in [
        "/nowhere",
        "/runs/999",
        "/sessions/999",
        "/rules/no_such_rule",
        &format!("/runs/{run}.xlsx"),
        &format!("{session}.json"),
        &format!("{session}/messages/6"),
        &format!("{session}?run=999"),
        &format!("/runs/{run}?mode=neither"),
    ] {
        assert_eq!(get(&router, address).await.status, StatusCode::NOT_FOUND, "{address}");
    }
    for address in [
        "/runs/x",
        "/runs/99999999999999999999",
        "/runs?before=x",
        "/sessions/-1",
        "/sessions?before=1.5",
        "/sessions/%00",
        "/sessions?name=%00",
        "/sessions?name=a%00b",
        "/rules/%00",
        "/%00",
        "/?unheard=%00",
        &format!("{session}?cell=%00"),
        &format!("/runs/{run}?window=%00"),
        &format!("{session}?cell=what"),
        &format!("{session}?from=-3"),
        &format!("{session}?run=%FF"),
        &format!("{session}?run=1&run=2"),
        "/sessions/%FF",
    ] {
        let answer = get(&router, address).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{address}");
        assert!(answer.kind.starts_with("text/html"), "{address}");
    }
}

#[tokio::test]
async fn a_rule_says_how_bad_it_is_in_each_api() {
    let fresh = Fresh::database("dash_rule").await;
    let router = dash::router(Arc::new(fresh.store));
    let error = "<span class=\"severity error\">error</span>";
    let page = get(&router, "/rules/orphan_tool_result").await;
    assert_page(&page, &[&format!("<dt>anthropic.messages {error}"), &format!("<dt>openai.chat {error}")]);
}

#[tokio::test]
async fn requests_are_checked_beside_the_pages() {
    let fresh = Fresh::database("dash_check").await;
    let settings = Settings { check: dash::CheckMode::Refuse, ..Settings::default() };
    let router = dash::router_with(Arc::new(fresh.store), &settings, Hosts::default());
    let ask =
        |body: &'static str| router.clone().oneshot(Request::post("/api/v1/check").body(Body::from(body)).unwrap());
    let refused = ask(r#"{"messages": [{"role": "tool", "tool_call_id": "k", "content": "hot"}]}"#).await.unwrap();
    assert_eq!(refused.status(), StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(refused.headers()[header::CACHE_CONTROL], "no-store");
    assert_eq!(ask("Kiln?").await.unwrap().status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn probes_tell_a_living_process_from_a_ready_one() {
    let fresh = Fresh::database("dash_probes").await;
    let router = dash::router(Arc::new(fresh.store));
    let (alive, ready) = (get(&router, "/healthz").await, get(&router, "/readyz").await);
    assert_eq!((alive.status, alive.text.as_str()), (StatusCode::OK, "ok\n"));
    assert_eq!(ready.status, StatusCode::OK);
}

#[tokio::test]
async fn serving_ends_when_told_to_stop() {
    let fresh = Fresh::database("dash_serve").await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(async move {
        dash::serve_until(listener, fresh.store, &Settings::default(), async { stopped.await.unwrap() }).await
    });
    let idle = tokio::net::TcpStream::connect(address).await.unwrap();
    stop.send(()).unwrap();
    serving.await.unwrap().unwrap();
    drop(idle);
}
