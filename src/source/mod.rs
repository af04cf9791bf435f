//! Files to sessions: opens what a user names, recognises its format and drives reader and joiner.
//!
//! A path is a file, a folder (read recursively, in the order of names, each real folder once), a pattern with `*`, `?`
//! or `**`, or `-` for standard input. Files in folders that no format recognises are left out and counted; a file that
//! was named must be readable and recognised. Sessions are handed on one by one. Calls of all files of one run are
//! joined together, so a session may go on in the next file.

mod digest;
mod paths;

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::formats::{self, FORMATS, Format};
use crate::frame::{self, Frames};
use crate::judge::Aim;
use crate::model::{Api, Defect, Record, Session};
use crate::session::{Joined, Joiner};
use crate::transcript::History;
use digest::{Digest, Digested};

/// How many defects a report keeps with their places; all are counted.
pub const KEPT_DEFECTS: usize = 100;

/// What is to be read.
#[derive(Clone, Copy, Debug)]
pub struct Input<'p> {
    pub paths: &'p [String],
    /// The id of a format that overrides recognition.
    pub format: Option<&'p str>,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Files that gave records.
    pub files: u64,
    /// Files found in folders or by patterns that no format recognises.
    pub files_skipped: u64,
    /// Files that were named again.
    pub files_repeated: u64,
    /// Calls and conversations.
    pub records: u64,
    pub sessions: u64,
    /// Calls that were there twice.
    pub duplicates: u64,
    /// Lines that are known to say nothing of a conversation.
    pub bookkeeping: u64,
    pub n_defects: u64,
    /// The first of the defects.
    pub defects: Vec<Defect>,
    /// The inputs that were read to their end.
    pub ends: Vec<End>,
}

/// The end of an input: what it held altogether.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    pub source: Arc<str>,
    /// BLAKE3 of its bytes.
    pub hash: [u8; 32],
    pub bytes: u64,
}

/// Why nothing could be read: the user's mistake, with its remedy, in one line.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("no input: name a log file, a folder, or `-` for standard input")]
    NoPath,
    #[error("`{0}` does not exist: check the path")]
    Missing(String),
    #[error("`{0}` matches no file: check the pattern")]
    NoMatch(String),
    #[error("`{path}` could not be read: {source}")]
    Unreadable { path: String, source: io::Error },
    #[error("`{0}` is empty: nothing was logged, or the wrong file was named")]
    Empty(String),
    #[error("`{0}` holds no file that a known format recognises; formats: {formats}", formats = format_ids())]
    NothingReadable(String),
    #[error("`{path}` is in no known format: {why}; formats for --format: {formats}", formats = format_ids())]
    Unrecognised { path: String, why: String },
    #[error("`{}` cannot be read in any log format: {}", .0.place, .0.reason)]
    Broken(Defect),
    #[error("there is no format `{0}`; formats: {formats}", formats = format_ids())]
    NoSuchFormat(String),
}

fn format_ids() -> String {
    FORMATS.iter().map(|format| format.id).collect::<Vec<_>>().join(", ")
}

/// Reads the input and hands on its sessions and what could not be read, one by one.
pub fn read(input: Input, on_joined: &mut dyn FnMut(Joined)) -> Result<Report, Error> {
    join(on_joined, |on_record| records(input, on_record))
}

/// Reads one stream, named for places, and hands on its sessions and what could not be read.
pub fn read_named(name: &str, reader: impl BufRead, on_joined: &mut dyn FnMut(Joined)) -> Result<Report, Error> {
    join(on_joined, |on_record| {
        let mut report = Report::default();
        read_stream(name, reader, Stated::default(), &mut report, on_record)?;
        Ok(report)
    })
}

/// Reads the input and hands on its sessions, one by one; what could not be read is in the report only.
pub fn sessions(input: Input, on_session: &mut dyn FnMut(Session)) -> Result<Report, Error> {
    read(input, &mut |joined| {
        if let Joined::Session(session) = joined {
            on_session(*session);
        }
    })
}

/// Joins the records that `read` hands on.
fn join(
    on_joined: &mut dyn FnMut(Joined),
    read: impl FnOnce(&mut dyn FnMut(Record)) -> Result<Report, Error>,
) -> Result<Report, Error> {
    let mut joiner = Joiner::new();
    let mut n_sessions = 0;
    let mut hand_on = |joined: Joined| {
        n_sessions += u64::from(matches!(joined, Joined::Session(_)));
        on_joined(joined);
    };
    let mut left_out = Report::default();
    let (aim, mut history) = (Aim::default(), History::new());
    let mut report = read(&mut |record| {
        let mut record = playable(record);
        if let Ok(Record::Call(call)) = &mut record {
            call.judged = Some(aim.verdict(call, &mut history));
        }
        if let Err(defect) = &record {
            left_out.note(defect);
        }
        joiner.push(record.unwrap_or_else(|defect| defect), &mut hand_on);
    })?;
    report.leave_out(left_out);
    report.duplicates = joiner.duplicates();
    joiner.finish(&mut hand_on);
    report.sessions = n_sessions;
    Ok(report)
}

/// A record that has a place in a session, else the defect in its place.
fn playable(record: Record) -> Result<Record, Record> {
    match record {
        Record::Call(call) if call.request.counted.is_some() => {
            let reason = "holds a request's size and not its text: `check` judges it, a replay cannot".to_owned();
            Err(Record::Defect(Defect { place: call.place, reason }))
        }
        record => Ok(record),
    }
}

/// What the user states of the logs, whatever their content looks like.
#[derive(Clone, Copy, Default)]
struct Stated {
    format: Option<&'static Format>,
    api: Option<Api>,
}

/// Reads the input and hands on its records, defects included.
pub fn records(input: Input, on_record: &mut dyn FnMut(Record)) -> Result<Report, Error> {
    records_in(input, None, on_record)
}

/// The same, the requests of bare bodies and of Cutpoint's own log being in `api` where one is stated.
pub fn records_in(input: Input, api: Option<Api>, on_record: &mut dyn FnMut(Record)) -> Result<Report, Error> {
    let format = match input.format {
        Some(id) => Some(formats::format(id).ok_or_else(|| Error::NoSuchFormat(id.to_owned()))?),
        None => None,
    };
    if input.paths.is_empty() {
        return Err(Error::NoPath);
    }
    let mut report = Report::default();
    let mut known = HashSet::new();
    for path in input.paths {
        read_path(path, Stated { format, api }, &mut known, &mut report, on_record)?;
    }
    Ok(report)
}

/// Reads what a path names, but for the files in `known`, which were read before.
fn read_path(
    path: &str,
    stated: Stated,
    known: &mut HashSet<PathBuf>,
    report: &mut Report,
    on_record: &mut dyn FnMut(Record),
) -> Result<(), Error> {
    if path == "-" {
        return read_stream("-", io::stdin().lock(), stated, report, on_record);
    }
    let found = paths::find(path)?;
    let n_before = report.files;
    for file in &found.files {
        if !known.insert(file.canonicalize().unwrap_or_else(|_| file.clone())) {
            report.files_repeated += 1;
            continue;
        }
        let name = file.display().to_string();
        match read_file(file, &name, stated, report, on_record) {
            Err(Error::Unrecognised { .. } | Error::Broken(_) | Error::Empty(_)) if found.searched => {
                report.files_skipped += 1
            }
            done => done?,
        }
    }
    if report.files == n_before && report.files_repeated == 0 {
        return Err(Error::NothingReadable(path.to_owned()));
    }
    Ok(())
}

fn read_file(
    file: &Path,
    name: &str,
    stated: Stated,
    report: &mut Report,
    on_record: &mut dyn FnMut(Record),
) -> Result<(), Error> {
    let opened = File::open(file).map_err(|source| Error::Unreadable { path: name.to_owned(), source })?;
    read_stream(name, BufReader::with_capacity(1 << 18, opened), stated, report, on_record)
}

fn read_stream(
    name: &str,
    reader: impl BufRead,
    stated: Stated,
    report: &mut Report,
    on_record: &mut dyn FnMut(Record),
) -> Result<(), Error> {
    let unreadable = |source| Error::Unreadable { path: name.to_owned(), source };
    let mut digest = Digest::default();
    let mut frames = Frames::new(name, Digested { reader, digest: &mut digest }).map_err(unreadable)?;
    let format = match stated.format {
        Some(format) => format,
        None => recognise(name, &mut frames, stated.api)?,
    };
    let mut hand_on = |record: Record| {
        report.note(&record);
        on_record(record);
    };
    match stated.api {
        Some(api) => formats::read_in(format, api, &mut frames, &mut hand_on),
        None => (format.read)(&mut frames, &mut hand_on),
    }
    .map_err(unreadable)?;
    report.files += 1;
    report.bookkeeping += frames.counts().bookkeeping;
    let source = frames.source().clone();
    drop(frames);
    report.ends.push(digest.end(source));
    Ok(())
}

fn recognise(name: &str, frames: &mut Frames, api: Option<Api>) -> Result<&'static Format, Error> {
    let head = frames.head().map_err(|source| Error::Unreadable { path: name.to_owned(), source })?;
    let known = api.map_or_else(|| formats::detect(&head), |api| formats::detect_in(&head, api));
    if let Some(format) = known {
        return Ok(format);
    }
    if let Some(first) = head.first() {
        let why = format!("it begins {:?}", frame::beginning(&first.value.to_string()));
        return Err(Error::Unrecognised { path: name.to_owned(), why });
    }
    Err(match frames.head_defect() {
        Some(defect) => Error::Broken(defect.clone()),
        None => Error::Empty(name.to_owned()),
    })
}

impl Report {
    /// Counts records that were read as defects.
    fn leave_out(&mut self, left_out: Report) {
        self.records -= left_out.n_defects;
        self.n_defects += left_out.n_defects;
        self.defects.extend(left_out.defects);
        self.defects.truncate(KEPT_DEFECTS);
    }

    fn note(&mut self, record: &Record) {
        let Record::Defect(defect) = record else {
            self.records += 1;
            return;
        };
        self.n_defects += 1;
        if self.defects.len() < KEPT_DEFECTS {
            self.defects.push(defect.clone());
        }
    }
}
