//! The embedded server: up for whoever needs it, gone with the last one, whole after any kill.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use cutpoint::store::{self, Database, embedded};

use crate::harness::folder;

fn of(data_dir: &Path) -> Database {
    Database { data_dir: Some(data_dir.into()), ..Database::default() }
}

/// The number of the server's process, as its own file says.
fn server(data_dir: &Path) -> Option<u32> {
    fs::read_to_string(data_dir.join("postgres/postmaster.pid")).ok()?.lines().next()?.trim().parse().ok()
}

fn kill(process: u32) {
    assert!(Command::new("sh").args(["-c", &format!("kill -9 {process}")]).status().unwrap().success());
}

/// A client in a process of its own: this test binary, told by its environment to hold a lease until its input ends.
struct Client {
    process: Child,
    said: BufReader<ChildStdout>,
}

impl Client {
    fn start(data_dir: &Path) -> Client {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "embedded::holds_a_lease_when_told_to", "--nocapture"])
            .env("CUTPOINT_TEST_HOLD", data_dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(process.stdout.take().unwrap());
        let joined = said.by_ref().lines().any(|line| line.unwrap().contains("holding"));
        assert!(joined, "the client could not join");
        Client { process, said }
    }

    fn leave(mut self) {
        drop(self.process.stdin.take());
        std::io::copy(&mut self.said, &mut std::io::sink()).unwrap();
        assert!(self.process.wait().unwrap().success());
    }

    fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

#[test]
fn holds_a_lease_when_told_to() {
    let Some(data_dir) = std::env::var_os("CUTPOINT_TEST_HOLD") else { return };
    let lease = embedded::join(Some(Path::new(&data_dir))).unwrap();
    println!("\nholding");
    std::io::stdout().flush().unwrap();
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).unwrap();
    lease.leave().unwrap();
}

#[tokio::test]
async fn the_server_runs_while_needed_and_no_longer() {
    let folder = folder();
    let first = store::connect(&of(folder.path())).await.unwrap();
    let second = store::connect(&of(folder.path())).await.unwrap();
    first.close().await.unwrap();
    second.ping().await.unwrap();
    second.close().await.unwrap();
    assert_eq!(server(folder.path()), None);
}

#[tokio::test]
async fn a_store_that_is_only_dropped_stops_the_server_too() {
    let folder = folder();
    drop(store::connect(&of(folder.path())).await.unwrap());
    assert_eq!(server(folder.path()), None);
}

#[test]
fn two_processes_share_one_server() {
    let folder = folder();
    let clients = std::thread::scope(|scope| {
        let starts = [(); 2].map(|()| scope.spawn(|| Client::start(folder.path())));
        starts.map(|start| start.join().unwrap())
    });
    let shared = server(folder.path()).unwrap();
    let [first, second] = clients;
    first.leave();
    assert_eq!(server(folder.path()), Some(shared));
    second.leave();
    assert_eq!(server(folder.path()), None);
}

#[tokio::test]
async fn a_killed_client_does_not_keep_the_server_up() {
    let folder = folder();
    let victim = Client::start(folder.path());
    let store = store::connect(&of(folder.path())).await.unwrap();
    victim.kill();
    store.ping().await.unwrap();
    store.close().await.unwrap();
    assert_eq!(server(folder.path()), None);
}

#[tokio::test]
async fn what_was_committed_survives_the_death_of_the_server() {
    let folder = folder();
    let store = store::connect(&of(folder.path())).await.unwrap();
    store.begin_source("kept.jsonl").await.unwrap();
    kill(server(folder.path()).unwrap());
    drop(store);
    let store = store::connect(&of(folder.path())).await.unwrap();
    assert_eq!(store.overview().await.unwrap().sources, 1);
    store.close().await.unwrap();
}

#[tokio::test]
async fn stale_files_that_name_a_living_stranger_do_not_matter() {
    let folder = folder();
    store::connect(&of(folder.path())).await.unwrap().close().await.unwrap();
    // Our own number: a process that lives and is no server.
    let stranger = format!("{}\n/elsewhere\n", std::process::id());
    fs::write(folder.path().join("postgres/postmaster.pid"), &stranger).unwrap();
    fs::write(folder.path().join("run/.s.PGSQL.5432.lock"), &stranger).unwrap();
    fs::write(folder.path().join("run/.s.PGSQL.5432"), "").unwrap();
    fs::create_dir(folder.path().join("postgres.unfinished")).unwrap();
    let store = store::connect(&of(folder.path())).await.unwrap();
    store.ping().await.unwrap();
    store.close().await.unwrap();
}

#[tokio::test]
async fn what_a_killed_start_left_in_use_is_passed_over() {
    let folder = folder();
    // A leftover that cannot be removed, as one in which an orphan still writes.
    fs::write(folder.path().join("postgres.unfinished"), "").unwrap();
    fs::create_dir(folder.path().join("postgres.unfinished.3")).unwrap();
    let store = store::connect(&of(folder.path())).await.unwrap();
    store.ping().await.unwrap();
    store.close().await.unwrap();
    assert!(
        !folder.path().join("postgres.unfinished.1").exists() && !folder.path().join("postgres.unfinished.3").exists()
    );
}

#[tokio::test]
async fn a_killed_server_comes_back_for_whoever_keeps_it_up() {
    let folder = folder();
    let store = store::connect(&of(folder.path())).await.unwrap();
    for _ in 0..2 {
        kill(server(folder.path()).unwrap());
        let back = async {
            while store.is_coming_back().await || store.overview().await.is_err() {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            () = store.keep_up() => unreachable!(),
            () = back => {}
            () = tokio::time::sleep(Duration::from_secs(30)) => panic!("it did not come back"),
        }
    }
    store.close().await.unwrap();
    assert_eq!(server(folder.path()), None);
}

/// A file system of its own, gone with the test; `None` where we may not mount one.
struct Disk {
    folder: tempfile::TempDir,
}

impl Disk {
    fn of_megabytes(size: u32) -> Option<Disk> {
        let folder = folder();
        let mount = format!("mount -t tmpfs -o size={size}m,mode=755 tmpfs {}", folder.path().display());
        let mounted = Command::new("sh").args(["-c", &mount]).stderr(Stdio::null()).status().unwrap().success();
        mounted.then_some(Disk { folder })
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let unmount = format!("umount {}", self.folder.path().display());
        assert!(Command::new("sh").args(["-c", &unmount]).status().unwrap().success());
    }
}

fn ingest(data_dir: &Path) -> (Option<i32>, String) {
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/demo.jsonl");
    let mut command = Command::new(env!("CARGO_BIN_EXE_cutpoint"));
    command.arg("ingest").arg(log).arg("--data-dir").arg(data_dir).env_remove("DATABASE_URL");
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[tokio::test]
async fn a_full_disk_is_told_and_costs_nothing_once_there_is_room() {
    let Some(disk) = Disk::of_megabytes(200) else { return };
    let (data, ballast) = (disk.folder.path().join("data"), disk.folder.path().join("ballast"));
    let store = store::connect(&of(&data)).await.unwrap();
    store.begin_source("kept.jsonl").await.unwrap();
    store.close().await.unwrap();
    // It ends where no byte is left; a little room is given back, so that the server starts and fails later.
    fs::write(&ballast, vec![0; 200 << 20]).unwrap_err();
    let full = fs::metadata(&ballast).unwrap().len();
    for room in [256 << 10, 0] {
        fs::OpenOptions::new().write(true).open(&ballast).unwrap().set_len(full - room).unwrap();
        let (code, said) = ingest(&data);
        assert_eq!(code, Some(3), "{said}");
        let place = data.join("postgres").display().to_string();
        assert!(said.contains("the disk is full: 0 MB are left") && said.contains(&place), "{said}");
        assert!(said.contains("at least 64 MB") && !said.contains("EOF"), "{said}");
    }
    fs::remove_file(&ballast).unwrap();
    let (code, said) = ingest(&data);
    assert_eq!(code, Some(0), "{said}");
    let store = store::connect(&of(&data)).await.unwrap();
    assert_eq!(store.overview().await.unwrap().sources, 2);
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_server_without_its_socket_is_started_again() {
    let folder = folder();
    let first = store::connect(&of(folder.path())).await.unwrap();
    fs::remove_file(folder.path().join("run/.s.PGSQL.5432")).unwrap();
    let second = store::connect(&of(folder.path())).await.unwrap();
    second.ping().await.unwrap();
    first.close().await.unwrap();
    second.close().await.unwrap();
    assert_eq!(server(folder.path()), None);
}

#[tokio::test]
async fn a_path_too_long_for_a_socket_gets_a_short_one() {
    let folder = folder();
    let long = folder.path().join("a folder's name, with blanks and 'quotes'".repeat(4));
    let store = store::connect(&of(&long)).await.unwrap();
    let url = store.embedded_url().unwrap();
    let (_, socket) = url.split_once("host=%2Ftmp%2Fcutpoint-").unwrap();
    store.ping().await.unwrap();
    store.close().await.unwrap();
    assert!(!long.join("run").exists());
    assert!(!Path::new(&format!("/tmp/cutpoint-{socket}")).exists());
}

#[tokio::test]
async fn only_its_own_account_may_enter_the_folders() {
    let folder = folder();
    let store = store::connect(&of(folder.path())).await.unwrap();
    for private in ["run", "postgres"] {
        let mode = fs::metadata(folder.path().join(private)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{private}");
    }
    store.close().await.unwrap();
}

#[test]
fn missing_binaries_are_told_in_one_line_with_a_remedy() {
    let (folder, empty) = (folder(), folder());
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "embedded::holds_a_lease_when_told_to"])
        .env("CUTPOINT_TEST_HOLD", folder.path())
        .env("CUTPOINT_PG_BIN", empty.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success());
    assert!(said.contains("holds no PostgreSQL server of version 15 or later"), "{said}");
}

#[tokio::test]
async fn an_unreachable_database_is_told_apart() {
    let url = Some("postgres://nobody@127.0.0.1:1/nothing".into());
    let error = store::connect(&Database { url, ..Database::default() }).await.unwrap_err();
    assert!(store::is_unavailable(&error), "{error:#}");
}

#[tokio::test]
async fn a_warm_start_takes_less_than_two_seconds() {
    let folder = folder();
    let since = Instant::now();
    let store = store::connect(&of(folder.path())).await.unwrap();
    println!("cold start: {:?}", since.elapsed());
    store.close().await.unwrap();
    let since = Instant::now();
    let store = store::connect(&of(folder.path())).await.unwrap();
    let took = since.elapsed();
    store.close().await.unwrap();
    println!("warm start: {took:?}");
    assert!(took < Duration::from_secs(2), "{took:?}");
}
