//! The dashboard behind a socket: who is answered, and how long anybody may keep a connection.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use cutpoint::dash::{self, Patience, Settings};
use cutpoint::store::Store;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::harness::Fresh;

/// The longest that any test here waits for an answer.
const LONG: Duration = Duration::from_secs(20);

/// A dashboard on a port of this machine.
struct Served {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
    _lease: Option<cutpoint::store::embedded::Lease>,
}

impl Served {
    async fn start(test: &str, settings: Settings) -> Served {
        let Fresh { store, lease, .. } = Fresh::database(test).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Served { _lease: Some(lease), ..Served::over(store, listener, settings) }
    }

    fn over(store: Store, listener: TcpListener, settings: Settings) -> Served {
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(async move {
            dash::serve_until(listener, store, &settings, async { stopped.await.unwrap() }).await.unwrap();
        });
        Served { address, stop, serving, _lease: None }
    }

    /// Sends that, and nothing after it, and reads to the end of the connection.
    async fn say(&self, text: &str) -> String {
        let (address, text) = (self.address, text.to_owned());
        tokio::task::spawn_blocking(move || {
            let mut socket = TcpStream::connect(address).unwrap();
            socket.set_read_timeout(Some(LONG)).unwrap();
            socket.write_all(text.as_bytes()).unwrap();
            let mut answer = Vec::new();
            socket.read_to_end(&mut answer).expect("the server closes the connection");
            String::from_utf8(answer).unwrap()
        })
        .await
        .unwrap()
    }

    async fn status(&self, text: &str) -> u16 {
        let answer = self.say(text).await;
        answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("{answer}"))
    }

    async fn end(self) {
        self.stop.send(()).unwrap();
        self.serving.await.unwrap();
    }
}

fn get(path: &str, host: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
}

fn post(host: &str, origin: &str) -> String {
    let body = r#"{"messages": []}"#;
    let length = body.len();
    format!(
        "POST /api/v1/check HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{body}"
    )
}

#[tokio::test]
async fn a_foreign_name_is_refused_with_the_remedy() {
    let settings = Settings { allowed_hosts: vec!["gateway.example".to_owned()], ..Settings::default() };
    let served = Served::start("serve_hosts", settings).await;
    let own = served.address.to_string();
    for host in [own.as_str(), "localhost:8400", "gateway.example"] {
        assert_eq!(served.status(&get("/", host)).await, 200, "{host}");
    }
    for (path, host) in [("/", "attacker.example"), ("/healthz", "attacker.example:8400"), ("/sessions", "")] {
        assert_eq!(served.status(&get(path, host)).await, 421, "{host}");
    }
    assert_eq!(served.status(&get("http://attacker.example/", &own)).await, 421);
    let twice = format!("GET / HTTP/1.1\r\nHost: {own}\r\nHost: attacker.example\r\nConnection: close\r\n\r\n");
    assert!([400, 421].contains(&served.status(&twice).await));
    let page = served.say(&get("/", "attacker.example:1")).await;
    assert!(page.contains("--allow-host attacker.example`") && page.contains("text/plain"), "{page}");
    let answer = served.say(&get("/api/v1/check", "attacker.example")).await;
    assert!(answer.contains(r#""remedy":"#) && answer.contains("application/json"), "{answer}");
    served.end().await;
}

#[tokio::test]
async fn a_page_elsewhere_cannot_post() {
    let served = Served::start("serve_origin", Settings::default()).await;
    let own = served.address.to_string();
    assert_eq!(served.status(&post(&own, &format!("http://{own}"))).await, 200);
    for origin in ["https://attacker.example", "null", "http://localhost:3000", "http://127.0.0.1"] {
        assert_eq!(served.status(&post(&own, origin)).await, 403, "{origin}");
    }
    let answer = served.say(&post(&own, "https://attacker.example")).await;
    assert!(answer.contains("https://attacker.example") && answer.contains(r#""remedy":"#), "{answer}");
    served.end().await;
}

fn impatient() -> Settings {
    let soon = Duration::from_millis(300);
    Settings { patience: Patience { head: soon, body: soon }, ..Settings::default() }
}

#[tokio::test]
async fn what_comes_too_slowly_is_not_waited_for() {
    let served = Served::start("serve_slow", impatient()).await;
    let own = served.address.to_string();
    let since = Instant::now();
    for begun in ["", "GET / HT", &format!("GET / HTTP/1.1\r\nHost: {own}\r\nX-")] {
        assert!(!served.say(begun).await.contains(" 200 "), "{begun}");
    }
    let (head, begun) = (format!("POST /api/v1/check HTTP/1.1\r\nHost: {own}\r\n"), "{\"mess");
    let sized = format!("{head}Content-Length: 900\r\n\r\n{begun}");
    let chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n6\r\n{begun}\r\n");
    for slow in [sized, chunked] {
        let answer = served.say(&slow).await;
        assert!(answer.contains(" 408 ") && answer.contains("was not here after 0.3 seconds"), "{answer}");
    }
    // A page needs no body, so it is answered, and what would follow is not waited for.
    let unasked = format!("GET / HTTP/1.1\r\nHost: {own}\r\nContent-Length: 900\r\n\r\n");
    assert_eq!(served.status(&unasked).await, 200);
    assert!(since.elapsed() < LONG, "{:?}", since.elapsed());
    served.end().await;
}

#[tokio::test]
async fn a_byte_now_and_then_keeps_no_connection_open() {
    let served = Served::start("serve_drip", impatient()).await;
    for head in
        ["", &format!("POST /api/v1/check HTTP/1.1\r\nHost: {}\r\nContent-Length: 90000\r\n\r\n", served.address)]
    {
        let (address, head) = (served.address, head.to_owned());
        let dripping = tokio::task::spawn_blocking(move || {
            let mut socket = TcpStream::connect(address).unwrap();
            socket.write_all(head.as_bytes()).unwrap();
            // What has been closed takes a byte or two more before it refuses one.
            socket.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
            let (since, mut answer) = (Instant::now(), [0; 1024]);
            while socket.write_all(b"G").is_ok() && !matches!(socket.read(&mut answer), Ok(0)) {
                assert!(since.elapsed() < LONG, "the connection is still open");
            }
        });
        dripping.await.unwrap();
    }
    served.end().await;
}

#[tokio::test]
async fn a_killed_database_comes_back_and_readiness_says_so_meanwhile() {
    let folder = crate::harness::folder();
    let database = cutpoint::store::Database { data_dir: Some(folder.path().into()), ..Default::default() };
    let store = cutpoint::store::connect(&database).await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let served = Served::over(store, listener, Settings::default());
    let own = served.address.to_string();
    assert_eq!(served.status(&get("/readyz", &own)).await, 200);
    let pid = std::fs::read_to_string(folder.path().join("postgres/postmaster.pid")).unwrap();
    let kill = format!("kill -9 {}", pid.lines().next().unwrap());
    assert!(std::process::Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    // The server's orphans answer for a moment longer.
    let since = Instant::now();
    for wanted in ["being started again", " 200 "] {
        while !served.say(&get("/readyz", &own)).await.contains(wanted) {
            assert!(since.elapsed() < 2 * LONG, "{wanted}");
        }
    }
    assert_eq!(served.status(&get("/", &own)).await, 200);
    served.end().await;
}
