//! What a verb reads: paths and the format that they are in.

use clap::Args;

use crate::formats::FORMATS;
use crate::source::{Input, Report};

/// Logs to read.
#[derive(Clone, Debug, Args)]
pub struct Paths {
    /// Logs: files, folders, patterns, or `-` for standard input
    #[arg(value_name = "PATH")]
    pub paths: Vec<String>,
    /// The format of the logs [default: told by their content]
    #[arg(long, value_name = "ID", long_help = formats_help(), env = "CUTPOINT_FORMAT")]
    format: Option<String>,
}

impl Paths {
    /// These paths, in whatever format they are.
    pub fn of(paths: Vec<String>) -> Paths {
        Paths { paths, format: None }
    }

    /// The input as the reader takes it.
    pub fn input(&self) -> Input<'_> {
        Input { paths: &self.paths, format: self.format.as_deref(), ..Input::default() }
    }
}

/// Says on stderr what was left out of the input, and why.
pub fn tell_left_out(report: &Report) {
    for defect in report.defects.iter().take(SHOWN_DEFECTS) {
        eprintln!("quarantined {}: {}", defect.place, defect.reason);
    }
    let more = report.n_defects.saturating_sub(SHOWN_DEFECTS as u64);
    if more > 0 {
        eprintln!("quarantined {more} more");
    }
    if report.n_defects > 0 {
        eprintln!(
            "{} of {} records were quarantined and are in no figure",
            report.n_defects,
            report.n_defects + report.records
        );
    }
    if report.duplicates > 0 {
        eprintln!("{} calls were there twice and counted once", report.duplicates);
    }
    if report.files_repeated > 0 {
        eprintln!("{} files were named twice and read once", report.files_repeated);
    }
    for left_out in report.left_out.iter().take(SHOWN_LEFT_OUT) {
        eprintln!("left out: {left_out}");
    }
    if report.files_unreadable > 0 {
        let n = report.files_unreadable;
        eprintln!("left out {n} {} that could not be read", if n == 1 { "file or folder" } else { "files or folders" });
    }
    if report.files_skipped > 0 {
        eprintln!("left out {} in no known format", files(report.files_skipped));
    }
}

/// How many quarantined records are shown one by one.
const SHOWN_DEFECTS: usize = 10;

/// How many files that were left out are shown one by one.
const SHOWN_LEFT_OUT: usize = 10;

/// A number of files, in words.
pub fn files(n: u64) -> String {
    format!("{n} {}", if n == 1 { "file" } else { "files" })
}

fn formats_help() -> String {
    let lines = FORMATS.iter().map(|format| format!("{}: {}", format.id, format.about));
    format!("The format of the logs [default: told by their content]\n\n{}", lines.collect::<Vec<_>>().join("\n"))
}
