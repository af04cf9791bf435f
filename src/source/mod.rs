//! Files to sessions: opens what a user names, recognises its format and drives reader and joiner.
//!
//! A path is a file, a folder (read recursively, in the order of names, each real folder once), a pattern with `*`, `?`
//! or `**`, or `-` for standard input. What a path names must exist. Files that cannot be opened, or that no format recognises, are
//! left out, counted and told, and only where nothing at all could be read is that an error. Sessions are handed on one by one. Calls of all files of one run are
//! joined together, so a session may go on in the next file.

mod digest;
mod error;
mod meter;
mod paths;

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::formats::{self, Format};
use crate::frame::{self, Frames};
use crate::judge::Aim;
use crate::model::{Api, Defect, Record, Session};
use crate::session::{Joined, Joiner};
use crate::transcript::History;
use digest::{Digest, Digested};
use meter::Metered;
use paths::Found;

pub use error::Error;
pub use meter::Meter;

/// How many defects a report keeps with their places; all are counted.
pub const KEPT_DEFECTS: usize = 100;

/// How many files that were left out a report keeps with the reason; all are counted.
const KEPT_LEFT_OUT: usize = 100;

/// What is to be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Input<'p> {
    pub paths: &'p [String],
    /// The id of a format that overrides recognition.
    pub format: Option<&'p str>,
    /// What hears how far reading has come.
    pub meter: Option<&'p Meter>,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Files that gave records.
    pub files: u64,
    /// Files that no format recognises.
    pub files_skipped: u64,
    /// Files and folders that could not be opened, or not be read to their end.
    pub files_unreadable: u64,
    /// The first of the files that were left out, each with the reason: those that could not be read, and those that were
    /// named and are in no known format.
    pub left_out: Vec<String>,
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
struct Stated<'m> {
    format: Option<&'static Format>,
    api: Option<Api>,
    meter: Option<&'m Meter>,
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
    let stated = Stated { format, api, meter: input.meter };
    // A path that names nothing ends the run before anything is read.
    let found = input.paths.iter().map(|path| find(path)).collect::<Result<Vec<_>, _>>()?;
    if let Some(meter) = input.meter {
        meter.expect(bytes_of(&found));
    }
    let mut reading = Reading { stated, known: HashSet::new(), report: Report::default(), first: None };
    for (path, found) in input.paths.iter().zip(found) {
        reading.path(path, found, on_record);
    }
    reading.end()
}

/// What a path names; standard input is no file.
fn find(path: &str) -> Result<Found, Error> {
    if path == "-" { Ok(Found::default()) } else { paths::find(path) }
}

fn bytes_of(found: &[Found]) -> u64 {
    let files = found.iter().flat_map(|found| &found.files);
    files.filter_map(|file| file.metadata().ok()).filter(|metadata| metadata.is_file()).map(|file| file.len()).sum()
}

/// An input that is being read.
struct Reading<'m> {
    stated: Stated<'m>,
    /// The files that were read before.
    known: HashSet<PathBuf>,
    report: Report,
    /// Why the first file that was left out could not be read.
    first: Option<Error>,
}

impl Reading<'_> {
    /// Reads what a path names.
    fn path(&mut self, path: &str, found: Found, on_record: &mut dyn FnMut(Record)) {
        if path == "-" {
            let stdin = BufReader::new(Metered { reader: io::stdin().lock(), meter: self.stated.meter });
            let read = read_stream("-", stdin, self.stated, &mut self.report, on_record);
            return self.leave_out(read, true);
        }
        if found.files.is_empty() && found.unreadable.is_empty() {
            self.leave_out(Err(Error::NoFile(path.to_owned())), true);
        }
        for (folder, why) in found.unreadable {
            self.leave_out(Err(Error::Unreadable { path: folder.display().to_string(), why }), true);
        }
        for file in &found.files {
            if !self.known.insert(file.canonicalize().unwrap_or_else(|_| file.clone())) {
                self.report.files_repeated += 1;
                continue;
            }
            let read = read_file(file, self.stated, &mut self.report, on_record);
            self.leave_out(read, !found.searched);
        }
    }

    /// Counts what could not be read, and keeps the reason where the user will want it.
    fn leave_out(&mut self, read: Result<(), Error>, was_named: bool) {
        let Err(error) = read else { return };
        let report = &mut self.report;
        let is_told = match &error {
            Error::Unreadable { .. } => {
                report.files_unreadable += 1;
                true
            }
            Error::NoFile(_) => true,
            _ => {
                report.files_skipped += 1;
                was_named
            }
        };
        if is_told && report.left_out.len() < KEPT_LEFT_OUT {
            report.left_out.push(error.in_short());
        }
        self.first.get_or_insert(error);
    }

    /// What was read, if anything was.
    fn end(self) -> Result<Report, Error> {
        let Reading { report, first, .. } = self;
        match first {
            Some(first) if report.files + report.records + report.n_defects == 0 => {
                Err(Error::of_all(first, report.files_unreadable, report.files_skipped))
            }
            _ => Ok(report),
        }
    }
}

fn read_file(file: &Path, stated: Stated, report: &mut Report, on_record: &mut dyn FnMut(Record)) -> Result<(), Error> {
    let name = file.display().to_string();
    let reader = File::open(file).map_err(|why| Error::Unreadable { path: name.clone(), why })?;
    let metered = Metered { reader, meter: stated.meter };
    read_stream(&name, BufReader::with_capacity(1 << 18, metered), stated, report, on_record)
}

fn read_stream(
    name: &str,
    reader: impl BufRead,
    stated: Stated,
    report: &mut Report,
    on_record: &mut dyn FnMut(Record),
) -> Result<(), Error> {
    let unreadable = |why| Error::Unreadable { path: name.to_owned(), why };
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
    let head = frames.head().map_err(|why| Error::Unreadable { path: name.to_owned(), why })?;
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
