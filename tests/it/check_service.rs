//! `POST /api/v1/check` without a store and without a socket.

use std::io::Write;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use cutpoint::dash::{self, CheckMode};
use serde_json::{Value, json};
use tower::ServiceExt;

const REFUSED: &str = r#"{"model": "gpt-4.1", "messages": [{"role": "user", "content": "Kiln?"},
    {"role": "tool", "tool_call_id": "k1", "content": "hot"}]}"#;
const TAKEN: &str = r#"{"model": "gpt-4.1", "messages": [{"role": "user", "content": "Kiln?"}]}"#;

async fn post(mode: CheckMode, query: &str, body: impl Into<Body>) -> (StatusCode, Value) {
    let router: Router = dash::check_router(mode);
    let request = Request::post(format!("/api/v1/check{query}")).body(body.into()).unwrap();
    let response = router.oneshot(request).await.unwrap();
    let status = response.status();
    assert_eq!(response.headers()[header::CONTENT_TYPE], "application/json");
    let bytes = to_bytes(response.into_body(), 1 << 24).await.unwrap();
    (status, serde_json::from_slice(&bytes).unwrap())
}

async fn log(query: &str, body: &'static str) -> (StatusCode, Value) {
    post(CheckMode::Log, query, body).await
}

#[tokio::test]
async fn a_request_is_answered_as_the_command_line_tells_it() {
    let (status, answer) = log("", REFUSED).await;
    assert_eq!(status, StatusCode::OK);
    let ran = super::cli::run_with(&["check", "-", "--output", "json"], REFUSED.as_bytes());
    let told: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(answer, told["requests"][0]);
    assert_eq!((&answer["verdict"], &answer["findings"][0]["rule"]), (&json!("reject"), &json!("orphan_tool_result")));
}

#[tokio::test]
async fn a_refused_request_is_422_where_that_is_wanted() {
    for (mode, query, refused) in [
        (CheckMode::Log, "", 200),
        (CheckMode::Log, "?mode=refuse", 422),
        (CheckMode::Refuse, "", 422),
        (CheckMode::Refuse, "?mode=log", 200),
        (CheckMode::Refuse, "?mode=", 422),
    ] {
        let (status, answer) = post(mode, query, REFUSED).await;
        assert_eq!((status.as_u16(), &answer["verdict"]), (refused, &json!("reject")), "{mode:?} {query}");
        assert_eq!(post(mode, query, TAKEN).await.0, StatusCode::OK);
    }
}

#[tokio::test]
async fn language_profile_and_model_can_be_stated() {
    assert_eq!(log("", TAKEN).await.1["api"], "openai.chat");
    assert_eq!(log("?api=mistral.chat", TAKEN).await.1["api"], "mistral.chat");
    let refused = r#"{"model": "gpt-4.1", "messages": [{"role": "system", "content": "Be brief."}]}"#;
    assert_eq!(log("", refused).await.1["verdict"], "accept");
    assert_ne!(log("?model=o1-mini", refused).await.1["verdict"], "accept");
    assert_eq!(log("?profile=azure", TAKEN).await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_mistake_is_answered_with_what_and_remedy() {
    for (query, body, words) in [
        ("", "", "no JSON"),
        ("", "Kiln?", "no JSON"),
        ("", "[1, 2]", "no request of a known API"),
        ("", r#"{"kiln": 1}"#, "no request of a known API"),
        ("?api=gemini.generate_content", TAKEN, "`contents`"),
        ("?api=openai.chat", "7", "a number"),
        ("?api=smoke.signals", TAKEN, "smoke.signals"),
        ("?profile=nobody", TAKEN, "nobody"),
        ("?profile=strict-gateway", TAKEN, "openai.chat"),
        ("?mode=moody", TAKEN, "moody"),
        ("?modle=o1", TAKEN, "modle"),
        ("?api=openai.chat&api=openai.chat", TAKEN, "api"),
    ] {
        let (status, answer) = log(query, body).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{query} {body}");
        assert!(answer["error"]["what"].as_str().unwrap().contains(words), "{query} {body}: {answer}");
        assert!(!answer["error"]["remedy"].as_str().unwrap().is_empty());
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(post(CheckMode::Log, "", deep).await.0, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_body_above_the_limit_is_413() {
    let (status, answer) = post(CheckMode::Log, "", vec![b' '; (64 << 20) + 1]).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(answer["error"]["what"].as_str().unwrap().contains("64 MB"), "{answer}");
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

async fn post_encoded(encoding: Option<&str>, body: Vec<u8>) -> (StatusCode, Value) {
    let mut request = Request::post("/api/v1/check");
    if let Some(encoding) = encoding {
        request = request.header(header::CONTENT_ENCODING, encoding);
    }
    let router: Router = dash::check_router(CheckMode::Log);
    let response = router.oneshot(request.body(Body::from(body)).unwrap()).await.unwrap();
    let status = response.status();
    (status, serde_json::from_slice(&to_bytes(response.into_body(), 1 << 24).await.unwrap()).unwrap())
}

#[tokio::test]
async fn a_packed_body_is_read_whatever_its_header_says() {
    let zstd = ruzstd::encoding::compress_to_vec(REFUSED.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest);
    for (encoding, body) in [
        (Some("gzip"), gzip(REFUSED.as_bytes())),
        (Some("GZIP"), gzip(REFUSED.as_bytes())),
        (None, gzip(REFUSED.as_bytes())),
        (Some("identity"), gzip(REFUSED.as_bytes())),
        (Some("gzip"), REFUSED.as_bytes().to_vec()),
        (Some("zstd"), zstd),
    ] {
        let (status, answer) = post_encoded(encoding, body).await;
        assert_eq!((status, &answer["verdict"]), (StatusCode::OK, &json!("reject")), "{encoding:?}: {answer}");
    }
}

#[tokio::test]
async fn a_packed_body_is_no_way_around_the_limit() {
    let (status, answer) = post_encoded(Some("gzip"), gzip(&vec![b' '; (64 << 20) + 1])).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE, "{answer}");
    assert!(answer["error"]["what"].as_str().unwrap().contains("64 MB unpacked"), "{answer}");
    let packed = gzip(REFUSED.as_bytes());
    let (status, answer) = post_encoded(Some("gzip"), packed[..packed.len() / 2].to_vec()).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(answer["error"]["what"].as_str().unwrap().contains("broken gzip data"), "{answer}");
    let (status, answer) = post_encoded(Some("br"), packed).await;
    assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert!(answer["error"]["remedy"].as_str().unwrap().contains("gzip"), "{answer}");
}

#[tokio::test]
async fn other_methods_are_told_the_one_there_is() {
    let router: Router = dash::check_router(CheckMode::Log);
    let response = router.oneshot(Request::get("/api/v1/check").body(Body::empty()).unwrap()).await.unwrap();
    assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(response.headers()[header::ALLOW], "POST");
}

#[tokio::test]
async fn requests_at_the_same_time_get_their_own_answers() {
    let router: Router = dash::check_router(CheckMode::Refuse);
    let ask = |n: usize| {
        let (router, body) = (router.clone(), if n.is_multiple_of(2) { REFUSED } else { TAKEN });
        tokio::spawn(async move {
            let request = Request::post("/api/v1/check").body(Body::from(body)).unwrap();
            router.oneshot(request).await.unwrap().status().as_u16()
        })
    };
    let asked: Vec<_> = (0..32).map(ask).collect();
    for (n, answer) in asked.into_iter().enumerate() {
        assert_eq!(answer.await.unwrap(), if n.is_multiple_of(2) { 422 } else { 200 }, "{n}");
    }
}
