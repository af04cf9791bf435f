//! Bytes to frames: how a log is cut into JSON values, whatever log it is.
//!
//! Input that gzip or zstd packed is unpacked as it streams by. Four layouts are told apart by the first bytes: one value a line (a single document on one line is the same), one
//! array whose elements are the frames, documents written over several lines, one after the other, and one YAML document. A frame of more
//! than [`FRAME_LIMIT`] bytes, text that is not UTF-8, a value that is cut off or nested deeper than 127 levels, are
//! defects with their place; the frames after them are read all the same. Memory holds one frame, and up to
//! [`HEAD_FRAMES`] of them while a format is being recognised.

use std::collections::VecDeque;
use std::io::{self, BufRead};
use std::sync::Arc;

use serde_json::Value;

use crate::model::{Defect, Place};

mod cut;
mod unpack;
mod yaml;

use cut::{Cutter, Piece};
use unpack::Broken;
pub use unpack::{NotUnpacked, unpacked};

/// The largest frame that is read, in bytes; a larger one is a defect.
pub const FRAME_LIMIT: usize = 256 << 20;

/// The most frames that a format may look at before it says whether the log is its own.
pub const HEAD_FRAMES: usize = 24;

/// The bytes after which no further frame is added to the head.
const HEAD_BYTES: usize = 4 << 20;

/// One JSON value of a log.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    pub place: Place,
    pub value: Value,
}

/// The frames of one input, in order.
pub struct Frames<'r> {
    source: Arc<str>,
    cutter: Cutter<'r>,
    /// Why packed input ended early, until it is told.
    broken: Broken,
    ahead: VecDeque<Result<Frame, Defect>>,
    counts: Counts,
}

/// What became of the frames of one input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Frames that were well-formed JSON.
    pub frames: u64,
    /// Pieces that were none.
    pub defects: u64,
    /// Frames that a format knows and that say nothing of a conversation.
    pub bookkeeping: u64,
}

impl<'r> Frames<'r> {
    /// The frames of `reader`; `source` names it in places.
    pub fn new(source: &str, reader: impl BufRead + 'r) -> io::Result<Frames<'r>> {
        Frames::with_limit(source, reader, FRAME_LIMIT)
    }

    /// The same with another limit for the bytes of one frame.
    pub fn with_limit(source: &str, reader: impl BufRead + 'r, limit: usize) -> io::Result<Frames<'r>> {
        let broken = Broken::default();
        let cutter = Cutter::new(unpack::unpack(reader, &broken)?, limit)?;
        Ok(Frames { source: source.into(), cutter, broken, ahead: VecDeque::new(), counts: Counts::default() })
    }

    /// The name of the input.
    pub fn source(&self) -> &Arc<str> {
        &self.source
    }

    /// The place of the input as a whole.
    pub fn place(&self) -> Place {
        Place { source: self.source.clone(), line: 0 }
    }

    /// What became of the frames handed out so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Says that `n` frames handed out were bookkeeping.
    pub fn bookkeeping(&mut self, n: u64) {
        self.counts.bookkeeping += n;
    }

    /// The first frames; they will be handed out as well.
    pub fn head(&mut self) -> io::Result<Vec<&Frame>> {
        let from = self.cutter.bytes_read();
        while self.ahead.len() < HEAD_FRAMES && self.cutter.bytes_read() - from < HEAD_BYTES as u64 {
            match self.cut()? {
                Some(frame) => self.ahead.push_back(frame),
                None => break,
            }
        }
        Ok(self.ahead.iter().filter_map(|frame| frame.as_ref().ok()).collect())
    }

    /// The first defect among the first frames, if there is one.
    pub fn head_defect(&self) -> Option<&Defect> {
        self.ahead.iter().find_map(|frame| frame.as_ref().err())
    }

    /// The next frame, or the defect in its place; `None` at the end.
    pub fn next_frame(&mut self) -> io::Result<Option<Result<Frame, Defect>>> {
        let next = match self.ahead.pop_front() {
            Some(frame) => Some(frame),
            None => self.cut()?,
        };
        match &next {
            Some(Ok(_)) => self.counts.frames += 1,
            Some(Err(_)) => self.counts.defects += 1,
            None => {}
        }
        Ok(next)
    }

    fn cut(&mut self) -> io::Result<Option<Result<Frame, Defect>>> {
        let Some((line, piece)) = self.cutter.next_piece()? else {
            let told = |reason| format!("{reason}: what came before it was read");
            return Ok(self.broken.take().map(|reason| Err(Defect { place: self.place(), reason: told(reason) })));
        };
        let place = Place { source: self.source.clone(), line };
        Ok(Some(match parse(piece) {
            Ok(value) => Ok(Frame { place, value }),
            Err(reason) => Err(Defect { place, reason }),
        }))
    }
}

/// How the text of a piece becomes its value.
type Parse = fn(&str) -> Result<Value, String>;

fn parse(piece: Piece<'_>) -> Result<Value, String> {
    let (bytes, read): (_, Parse) = match piece {
        Piece::Refused(reason) => return Err(reason),
        Piece::Whole(bytes) => (bytes, |text| json(text, false)),
        Piece::Last(bytes) => (bytes, |text| json(text, true)),
        Piece::Yaml(bytes) => (bytes, yaml::value),
    };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        format!("not UTF-8 at byte {} of the value: convert the file to UTF-8", error.valid_up_to() + 1)
    })?;
    if bytes.contains(&0) {
        return Err("holds NUL bytes: not JSON text".to_owned());
    }
    read(text)
}

fn json(text: &str, at_end: bool) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| reason(&error, text, at_end))
}

/// How the parser's complaints of a lone surrogate begin.
const HALF_PAIRS: &[&str] = &["lone leading surrogate", "unexpected end of hex escape"];

/// One line on why a value could not be read.
fn reason(error: &serde_json::Error, text: &str, at_end: bool) -> String {
    let message = error.to_string();
    match (error.is_eof(), at_end) {
        (true, true) => "the last value is cut off: the log was half-written, or is still being written".to_owned(),
        (true, false) => format!("the value is cut off after {} bytes", text.len()),
        _ if message.starts_with("recursion limit") => "nested deeper than 127 levels".to_owned(),
        _ if HALF_PAIRS.iter().any(|words| message.starts_with(words)) => {
            let at = format!("line {}, column {}", error.line(), error.column());
            format!("half of a surrogate pair at {at}: a text was cut inside a character, and providers refuse it too")
        }
        _ => format!("not JSON: {message}; it begins {:?}", beginning(text)),
    }
}

/// The first characters of a text, for messages.
pub fn beginning(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(bytes: &[u8], limit: usize) -> Vec<Result<String, String>> {
        let mut frames = Frames::with_limit("log", bytes, limit).unwrap();
        let mut all = Vec::new();
        while let Some(frame) = frames.next_frame().unwrap() {
            all.push(match frame {
                Ok(frame) => Ok(format!("{}:{}", frame.place.line, frame.value)),
                Err(defect) => Err(format!("{}: {}", defect.place.line, defect.reason)),
            });
        }
        all
    }

    #[track_caller]
    fn check(bytes: impl AsRef<[u8]>, expected: &[&str]) {
        let shown: Vec<String> = read(bytes.as_ref(), 1000)
            .into_iter()
            .map(|frame| frame.unwrap_or_else(|reason| format!("! {}", reason.split(';').next().unwrap())))
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn lines_are_frames_and_blank_ones_are_none() {
        check("{\"a\":1}\n\n{\"a\":2}\r\n", &["1:{\"a\":1}", "3:{\"a\":2}"]);
        check("\u{feff}{\"a\":1}", &["1:{\"a\":1}"]);
        check("", &[]);
        check(" \n\n", &[]);
    }

    #[test]
    fn elements_of_one_array_are_frames() {
        check("[{\"a\":1}, 2,\n \"x]\"]\n", &["1:{\"a\":1}", "2:2", "3:\"x]\""]);
        check("[\n]", &[]);
        check("[1]\n[2]\n", &["1:[1]", "2:[2]"]);
        check(
            "[{\"a\":1},{\"a\":",
            &["1:{\"a\":1}", "! 2: the last value is cut off: the log was half-written, or is still being written"],
        );
        check("[1,2] x", &["1:1", "2:2", "! 3: text after the end of the array"]);
    }

    #[test]
    fn documents_over_several_lines_are_frames() {
        check("{\n \"a\": {\n}}\n{\n\"b\":\n2}", &["1:{\"a\":{}}", "4:{\"b\":2}"]);
        check("{\n \"a\": 1", &["! 1: the last value is cut off: the log was half-written, or is still being written"]);
    }

    #[test]
    fn a_bad_line_does_not_stop_the_rest() {
        check(
            "{\"a\":1}\n{\"a\"\n{\"a\":3}",
            &["1:{\"a\":1}", "! 2: the value is cut off after 4 bytes", "3:{\"a\":3}"],
        );
        check("{\"a\"\n{\"a\":3}", &["! 1: the value is cut off after 4 bytes", "2:{\"a\":3}"]);
        check(b"{\"a\":\"\xff\"}\n1", &["! 1: not UTF-8 at byte 7 of the value: convert the file to UTF-8", "2:1"]);
        check("{\"a\":1}\n\0\0\n2", &["1:{\"a\":1}", "! 2: holds NUL bytes: not JSON text", "3:2"]);
        let deep = format!("1\n{}{}\n3", "[".repeat(200), "]".repeat(200));
        check(deep, &["1:1", "! 2: nested deeper than 127 levels", "3:3"]);
    }

    #[test]
    fn a_frame_over_the_limit_is_refused_and_the_next_one_read() {
        let long = format!("{{\"a\":\"{}\"}}\n{{\"b\":2}}\n", "x".repeat(5000));
        check(&long, &["! 1: longer than 1000 bytes", "2:{\"b\":2}"]);
        // The last one, with and without an end of its line, from the first byte beyond the limit on.
        for more in [2, 3, 5000] {
            let last = format!("{{\"b\":2}}\n{}", "x".repeat(1000 + more));
            for end in ["", "\n"] {
                check(format!("{last}{end}"), &["1:{\"b\":2}", "! 2: longer than 1000 bytes"]);
            }
        }
        let elements = format!("[\"{}\",2]", "x".repeat(5000));
        check(elements, &["! 1: longer than 1000 bytes", "2:2"]);
    }

    #[test]
    fn what_is_no_text_is_named() {
        check(b"\xff\xfe{\0}\0", &["! 0: UTF-16 text: convert it to UTF-8"]);
        check(b"{\0\"\0a\0\"\0", &["! 0: UTF-16 text: convert it to UTF-8"]);
        check(b"\x7fELF\0\0\0", &["! 0: binary data"]);
    }

    fn gzip(text: &str) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(text.as_bytes()).unwrap();
        packer.finish().unwrap()
    }

    fn zstd(text: &str) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest)
    }

    #[test]
    fn packed_input_is_read_as_what_it_holds() {
        for pack in [gzip, zstd] {
            let packed = [pack("{\"a\":1}\n{\"a\""), pack(":2}\n")].concat();
            check(&packed, &["1:{\"a\":1}", "2:{\"a\":2}"]);
            for end in 4..packed.len() {
                let last = read(&packed[..end], 1000).pop();
                let told = matches!(&last, Some(Err(reason)) if reason.contains("data ("));
                assert!(told || end == pack("{\"a\":1}\n{\"a\"").len(), "{end}: {last:?}");
            }
        }
    }

    #[test]
    fn every_prefix_reads_without_panic() {
        let whole = "\u{feff}{\n \"ä\": [\"\\\"]\", {}]}\n[1, \"x\"]\n{\"a\":1}\r\n";
        for end in 0..whole.len() {
            for limit in [0, 1, 5, 16, 1000] {
                read(&whole.as_bytes()[..end], limit);
            }
        }
    }
}
