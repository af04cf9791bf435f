//! Making, starting and stopping the private server. The caller holds the lock that makes each of these exclusive.

use std::fs;
use std::io;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::ROLE;
use super::binaries::Binaries;
use super::folder::{Folder, PORT};

/// How long a server may take that has to recover after a crash.
const START_SECONDS: u64 = 120;

/// How long processes of a killed server may take to notice that it is gone.
const STALE_SECONDS: u64 = 10;

/// In the data folder until all that `initdb` wrote is known to be on the disk.
const UNSYNCED: &str = "unsynced";

/// How many leftovers of killed processes may be in use at a time.
const UNFINISHED_MAX: u32 = 10;

/// The log is begun anew at a start when it has grown beyond this.
const LOG_BYTES_MAX: u64 = 4 << 20;

/// What we set on purpose. A commit is on the disk when it returns (`fsync`, `synchronous_commit` stay on): ingest
/// commits a few large batches, so waiting costs nothing. No replication, hence `wal_level = minimal`. Log lines carry
/// no statement and no row, because rows hold what people said to a model.
const SETTINGS: &str = "\
listen_addresses = ''
unix_socket_permissions = 0700
max_connections = 100
shared_buffers = 128MB
wal_level = minimal
max_wal_senders = 0
max_wal_size = 2GB
checkpoint_timeout = 15min
random_page_cost = 1.1
jit = off
max_parallel_workers_per_gather = 0
log_min_messages = warning
log_min_error_statement = panic
log_error_verbosity = terse
log_checkpoints = off
";

/// Starts the server unless it already accepts connections.
pub fn ensure_running(folder: &Folder) -> Result<()> {
    folder.make_private(&folder.socket)?;
    if answers(folder) {
        return Ok(());
    }
    let binaries = Binaries::find(major_of(&folder.data()))?;
    if !folder.data().exists() {
        initialise(folder, &binaries)?;
    }
    if is_alive(folder) {
        // It runs but cannot be reached: its socket was swept away, or it is on its way up or down.
        pg_ctl(folder, &binaries, &["stop", "-m", "fast", "-w"]).ok();
    }
    start(folder, &binaries)?;
    remove_leftovers(folder);
    sync_in_background(folder, &binaries);
    Ok(())
}

/// Whether the server runs and its socket is there.
pub fn is_up(folder: &Folder) -> bool {
    is_alive(folder) && folder.socket_file().exists()
}

/// Stops the server, if it runs.
pub fn stop(folder: &Folder) -> Result<()> {
    if !is_alive(folder) {
        return Ok(());
    }
    let binaries = Binaries::find(major_of(&folder.data()))?;
    pg_ctl(folder, &binaries, &["stop", "-m", "fast", "-w", "-t", "60"])
        .context("could not stop the embedded Postgres")?;
    folder.leave_no_socket();
    Ok(())
}

/// Whether somebody listens at the socket; a full queue is an answer too.
fn answers(folder: &Folder) -> bool {
    let refused = [io::ErrorKind::NotFound, io::ErrorKind::ConnectionRefused];
    UnixStream::connect(folder.socket_file()).err().is_none_or(|error| !refused.contains(&error.kind()))
}

/// The major version that wrote the data.
fn major_of(data: &Path) -> Option<u32> {
    fs::read_to_string(data.join("PG_VERSION")).ok()?.trim().parse().ok()
}

/// Makes the data folder. It gets its name only when it is whole, so that a kill leaves nothing half-made.
fn initialise(folder: &Folder, binaries: &Binaries) -> Result<()> {
    let unfinished = unused(folder)?;
    folder.make_private(&unfinished)?;
    let init = |locale: &str| {
        let mut command = command(folder, binaries, "initdb", &unfinished);
        command.args(["-D", ".", "-U", ROLE, "--auth=trust", "--encoding=UTF8", "--no-instructions", "--no-sync"]);
        run(command.arg(locale))
    };
    init("--locale=C.UTF-8").or_else(|_| init("--locale=C")).context("could not make the embedded database")?;
    fs::write(unfinished.join(UNSYNCED), "").context("could not mark the embedded database as new")?;
    fs::rename(&unfinished, folder.data())
        .with_context(|| format!("could not rename `{}` to `{}`", unfinished.display(), folder.data().display()))
}

/// A name for data that are not whole yet. What a killed process left under one goes, unless its `initdb` outlived it and
/// still writes there: then the next name is free, and the leftover goes at a later start.
fn unused(folder: &Folder) -> Result<PathBuf> {
    for number in 0..UNFINISHED_MAX {
        let name = folder.unfinished(number);
        match fs::remove_dir_all(&name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::debug!(folder = %name.display(), %error, "could not remove what a killed process left");
            }
            _ => return Ok(name),
        }
    }
    let first = folder.unfinished(0);
    bail!("could not remove `{}`: end the processes that work in it, or remove it yourself", first.display())
}

/// Removes what killed processes left half-made, as far as nobody works there.
fn remove_leftovers(folder: &Folder) {
    for name in (0..UNFINISHED_MAX).map(|number| folder.unfinished(number)).filter(|name| name.exists()) {
        if let Err(error) = fs::remove_dir_all(&name) {
            tracing::debug!(folder = %name.display(), %error, "could not remove what a killed process left");
        }
    }
}

/// Brings what `initdb` wrote to the disk while the server is already in use: on a busy disk that takes seconds. Until
/// then a power failure, but no kill, can cost the new database; if we end too early, the next start does it again.
fn sync_in_background(folder: &Folder, binaries: &Binaries) {
    let mark = folder.data().join(UNSYNCED);
    if !mark.exists() {
        return;
    }
    let mut command = command(folder, binaries, "initdb", &folder.data());
    command.args(["-D", ".", "--sync-only"]).process_group(0).stdout(Stdio::null()).stderr(Stdio::null());
    // Begun here and not in the thread: a process between its fork and its exec shares our locks, and one that leaves
    // meanwhile would take the server for still in use. It is tried again at the next start if it failed.
    let Ok(mut syncing) = command.spawn() else { return };
    thread::spawn(move || {
        if syncing.wait().is_ok_and(|status| status.success()) {
            fs::remove_file(mark).ok();
        }
    });
}

fn start(folder: &Folder, binaries: &Binaries) -> Result<()> {
    configure(folder)?;
    let since = Instant::now();
    let seconds = START_SECONDS.to_string();
    let name = format!("-c cluster_name={}", folder.name());
    loop {
        remove_stale(folder)?;
        let started = pg_ctl(folder, binaries, &["start", "-w", "-t", &seconds, "-s", "-l", "server.log", "-o", &name]);
        match started {
            Ok(()) => return Ok(()),
            // The children of a killed server hold its shared memory until they have noticed.
            Err(_) if since.elapsed().as_secs() < STALE_SECONDS => thread::sleep(Duration::from_millis(100)),
            Err(error) => {
                let log = folder.data().join("server.log");
                let (path, lines) = (log.display(), last_lines(&log));
                return Err(error)
                    .with_context(|| format!("could not start the embedded Postgres; its log `{path}` ends: {lines}"));
            }
        }
    }
}

/// Writes the server's whole configuration; it is ours alone.
fn configure(folder: &Folder) -> Result<()> {
    let data = folder.data();
    let socket = folder.socket.to_string_lossy().replace('\'', "''");
    let text = format!("{SETTINGS}port = {PORT}\nunix_socket_directories = '\"{socket}\"'\n");
    let path = data.join("postgresql.conf");
    fs::write(&path, text).with_context(|| format!("could not write `{}`", path.display()))?;
    let log = data.join("server.log");
    if fs::metadata(&log).is_ok_and(|metadata| metadata.len() > LOG_BYTES_MAX) {
        fs::remove_file(&log).with_context(|| format!("could not remove `{}`", log.display()))?;
    }
    Ok(())
}

/// Whether the server named in `postmaster.pid` still lives. Numbers of processes are used again, in containers soon
/// and often, so a living process counts only if it works in our data folder.
fn is_alive(folder: &Folder) -> bool {
    let data = folder.data();
    let Ok(text) = fs::read_to_string(data.join("postmaster.pid")) else { return false };
    let Some(process) = text.lines().next().and_then(|line| line.trim().parse::<u32>().ok()) else { return false };
    if Path::new("/proc/self").exists() {
        return fs::read_link(format!("/proc/{process}/cwd")).is_ok_and(|cwd| cwd == data);
    }
    let listed = Command::new("ps").args(["-ww", "-o", "args=", "-p", &process.to_string()]).output();
    listed.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(&folder.name()))
}

/// Removes what a dead server left behind. Postgres does so itself, except where another process now has its number.
fn remove_stale(folder: &Folder) -> Result<()> {
    if is_alive(folder) {
        return Ok(());
    }
    let socket = folder.socket_file();
    let lock = socket.with_file_name(format!(".s.PGSQL.{PORT}.lock"));
    for path in [folder.data().join("postmaster.pid"), lock, socket] {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("could not remove the stale `{}`", path.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

fn pg_ctl(folder: &Folder, binaries: &Binaries, arguments: &[&str]) -> Result<()> {
    let mut command = command(folder, binaries, "pg_ctl", &folder.data());
    run(command.args(arguments).args(["-D", "."]))
}

/// A program of Postgres that works inside `at`, under the right account and with none of the caller's `PG*` settings.
fn command(folder: &Folder, binaries: &Binaries, program: &str, at: &Path) -> Command {
    let mut command = Command::new(binaries.program(program));
    command.current_dir(at).stdin(Stdio::null()).env("LC_ALL", "C");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PG")) {
        command.env_remove(name);
    }
    if let Some(account) = &folder.account {
        account.run(&mut command);
    }
    command
}

fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("could not run `{program}`"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    bail!("`{program}` failed: {}", said.trim().replace('\n', "; "))
}

fn last_lines(log: &Path) -> String {
    let text = fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let lines: Vec<&str> = text.lines().rev().take(3).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join("; ")
}
