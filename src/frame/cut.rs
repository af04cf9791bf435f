//! Cuts bytes into pieces that should each be one JSON value, by layout; nothing here parses.

use std::io::{self, BufRead, Read};

/// The bytes that are looked at to find the layout.
const HEAD: u64 = 256 << 10;

/// What the cutter found where a frame should be.
pub enum Piece<'c> {
    /// The bytes of one value, with more input behind it.
    Whole(&'c [u8]),
    /// The bytes up to the end of the input, without the end of the line or of the value.
    Last(&'c [u8]),
    /// The bytes of one YAML document, which is the whole input.
    Yaml(&'c [u8]),
    /// No value: why.
    Refused(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    Lines,
    Array,
    Documents,
    Yaml,
    /// Nothing more will come.
    Done,
}

/// A cursor over the pieces of an input.
pub struct Cutter<'r> {
    reader: Box<dyn BufRead + 'r>,
    layout: Layout,
    limit: usize,
    /// Why the input as a whole cannot be read, until it is told.
    refused: Option<&'static str>,
    /// The line, or the element, that was cut last.
    number: u32,
    bytes_read: u64,
    piece: Vec<u8>,
}

impl<'r> Cutter<'r> {
    /// A cursor at the start; `limit` bounds the bytes of one piece.
    pub fn new(mut reader: Box<dyn BufRead + 'r>, limit: usize) -> io::Result<Cutter<'r>> {
        let mut head = Vec::new();
        (&mut reader).take(HEAD).read_to_end(&mut head)?;
        let whole = (head.len() as u64) < HEAD;
        let refused = foreign(&head);
        if head.starts_with(b"\xef\xbb\xbf") {
            head.drain(..3);
        }
        let layout = layout(&head, whole);
        let reader: Box<dyn BufRead + 'r> = Box::new(io::Cursor::new(head).chain(reader));
        let mut cutter = Cutter { reader, layout, limit, refused, number: 0, bytes_read: 0, piece: Vec::new() };
        if layout == Layout::Array {
            cutter.skip(|byte| byte.is_ascii_whitespace())?;
            cutter.advance(1);
        }
        Ok(cutter)
    }

    /// How many bytes were cut so far.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// The next piece with its line or element, counted from 1; 0 for the whole input.
    pub fn next_piece(&mut self) -> io::Result<Option<(u32, Piece<'_>)>> {
        if let Some(reason) = self.refused.take() {
            self.layout = Layout::Done;
            return Ok(Some((0, Piece::Refused(reason.to_owned()))));
        }
        match self.layout {
            Layout::Lines => self.next_line(),
            Layout::Array => self.next_element(),
            Layout::Documents => self.next_document(),
            Layout::Yaml => self.everything(),
            Layout::Done => Ok(None),
        }
    }

    fn next_line(&mut self) -> io::Result<Option<(u32, Piece<'_>)>> {
        loop {
            self.piece.clear();
            let limit = self.limit as u64 + 2;
            let n = (&mut self.reader).take(limit).read_until(b'\n', &mut self.piece)?;
            self.bytes_read += n as u64;
            if n == 0 {
                return Ok(None);
            }
            self.number = self.number.saturating_add(1);
            let ended = self.piece.last() == Some(&b'\n');
            if !ended && self.piece.len() as u64 == limit {
                self.skip(|byte| byte != b'\n')?;
                if self.peek()?.is_some() {
                    self.advance(1);
                }
                return Ok(Some((self.number, self.too_long())));
            }
            if !self.piece.trim_ascii().is_empty() {
                let bytes = self.piece.trim_ascii();
                return Ok(Some((self.number, if ended { Piece::Whole(bytes) } else { Piece::Last(bytes) })));
            }
        }
    }

    fn next_element(&mut self) -> io::Result<Option<(u32, Piece<'_>)>> {
        self.skip(|byte| byte.is_ascii_whitespace() || byte == b',')?;
        match self.peek()? {
            None => {
                self.layout = Layout::Done;
                let reason = "the array is not closed: the log was cut off, or is still being written";
                Ok(Some((self.number.saturating_add(1), Piece::Refused(reason.to_owned()))))
            }
            Some(b']') => {
                self.advance(1);
                self.layout = Layout::Done;
                self.skip(|byte| byte.is_ascii_whitespace())?;
                let reason = "text after the end of the array";
                Ok(self.peek()?.map(|_| (self.number.saturating_add(1), Piece::Refused(reason.to_owned()))))
            }
            Some(_) => {
                self.number = self.number.saturating_add(1);
                self.value(self.number)
            }
        }
    }

    fn next_document(&mut self) -> io::Result<Option<(u32, Piece<'_>)>> {
        let lines = self.skip(|byte| byte.is_ascii_whitespace() || byte == b',')?;
        self.number = self.number.max(1).saturating_add(lines);
        if self.peek()?.is_none() {
            return Ok(None);
        }
        let line = self.number;
        self.value(line)
    }

    /// Reads to the end of the input.
    fn everything(&mut self) -> io::Result<Option<(u32, Piece<'_>)>> {
        self.layout = Layout::Done;
        let limit = self.limit as u64 + 1;
        let n = (&mut self.reader).take(limit).read_to_end(&mut self.piece)?;
        self.bytes_read += n as u64;
        let piece = if n as u64 == limit { self.too_long() } else { Piece::Yaml(&self.piece) };
        Ok(Some((1, piece)))
    }

    /// Reads one value to its end and leaves the cursor behind it.
    fn value(&mut self, number: u32) -> io::Result<Option<(u32, Piece<'_>)>> {
        self.piece.clear();
        let mut scan = Scan::default();
        let mut too_long = false;
        let mut lines = 0u32;
        while !scan.ended {
            let chunk = self.reader.fill_buf()?;
            if chunk.is_empty() {
                break;
            }
            let taken = scan.take(chunk);
            lines = newlines(&chunk[..taken]).saturating_add(lines);
            too_long |= self.piece.len() + taken > self.limit;
            if !too_long {
                self.piece.extend_from_slice(&chunk[..taken]);
            }
            self.advance(taken);
        }
        if self.layout == Layout::Documents {
            self.number = self.number.saturating_add(lines);
        }
        if too_long {
            self.piece = Vec::new();
            return Ok(Some((number, self.too_long())));
        }
        if !scan.ended {
            self.layout = Layout::Done;
            return Ok(Some((number, Piece::Last(&self.piece))));
        }
        Ok(Some((number, Piece::Whole(&self.piece))))
    }

    fn too_long(&self) -> Piece<'static> {
        Piece::Refused(format!("longer than {} bytes; the limit keeps memory bounded", self.limit))
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        Ok(self.reader.fill_buf()?.first().copied())
    }

    fn advance(&mut self, n: usize) {
        self.bytes_read += n as u64;
        self.reader.consume(n);
    }

    /// Passes over bytes while `pass` holds; answers how many lines ended there.
    fn skip(&mut self, pass: fn(u8) -> bool) -> io::Result<u32> {
        let mut lines = 0u32;
        loop {
            let chunk = self.reader.fill_buf()?;
            let n = chunk.iter().position(|byte| !pass(*byte)).unwrap_or(chunk.len());
            let ended = n < chunk.len() || chunk.is_empty();
            lines = newlines(&chunk[..n]).saturating_add(lines);
            self.advance(n);
            if ended {
                return Ok(lines);
            }
        }
    }
}

fn newlines(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u32
}

/// Follows one JSON value by its brackets and strings.
#[derive(Default)]
struct Scan {
    depth: u32,
    in_string: bool,
    escaped: bool,
    in_scalar: bool,
    ended: bool,
}

impl Scan {
    /// How many bytes of `chunk` belong to the value.
    fn take(&mut self, chunk: &[u8]) -> usize {
        for (index, byte) in chunk.iter().enumerate() {
            if self.ended {
                return index;
            }
            if self.step(*byte) {
                return index;
            }
        }
        chunk.len()
    }

    /// Takes one byte in; true where the value ended before it.
    fn step(&mut self, byte: u8) -> bool {
        if self.in_string {
            self.in_string_step(byte);
            return false;
        }
        if self.in_scalar && (byte.is_ascii_whitespace() || matches!(byte, b',' | b']' | b'}' | b'[' | b'{' | b'"')) {
            self.ended = true;
            return true;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.ended = self.depth == 0;
            }
            _ => self.in_scalar = self.depth == 0,
        }
        false
    }

    fn in_string_step(&mut self, byte: u8) {
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' => self.escaped = true,
            b'"' => {
                self.in_string = false;
                self.ended = self.depth == 0;
            }
            _ => {}
        }
    }
}

/// What the input is where it is no JSON text at all.
fn foreign(head: &[u8]) -> Option<&'static str> {
    const MAGIC: &[(&[u8], &str)] = &[
        (b"\xff\xfe", "UTF-16 text: convert it to UTF-8"),
        (b"\xfe\xff", "UTF-16 text: convert it to UTF-8"),
        (b"\x1f\x8b", "gzip data inside gzip or zstd data: decompress it first"),
        (b"\x28\xb5\x2f\xfd", "zstd data inside gzip or zstd data: decompress it first"),
        (b"PK\x03\x04", "a zip archive: unpack it first"),
        (b"PAR1", "a Parquet file: export it as JSON lines first"),
        (b"SQLite format 3\0", "an SQLite database: export it as JSON lines first"),
    ];
    if let Some((_, reason)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Some(reason);
    }
    let start = &head[..head.len().min(64)];
    let zeros = |parity: usize| start.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
    let first = start.iter().find(|byte| !byte.is_ascii_whitespace());
    let text = matches!(first, None | Some(b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | 0xef));
    if start.len() >= 4 && zeros(0).max(zeros(1)) * 4 >= start.len() && zeros(0).min(zeros(1)) == 0 {
        return Some("UTF-16 text: convert it to UTF-8");
    }
    let opaque = start.contains(&0) && !start.contains(&b'\n');
    (opaque || (!text && start.contains(&0))).then_some("binary data")
}

fn layout(head: &[u8], whole: bool) -> Layout {
    let head = head.trim_ascii_start();
    let first_line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let one_line_only = first_line.len() == head.len();
    let rest = head[first_line.len()..].trim_ascii();
    let line = first_line.trim_ascii();
    match head.first() {
        Some(b'[') if one_line_only || rest.is_empty() && whole => Layout::Array,
        Some(b'[') if balanced(line) => Layout::Lines.or_array(rest),
        Some(b'[') => Layout::Array,
        Some(b'{') if !one_line_only && opens(line) && !first_is_object(rest) => Layout::Documents,
        _ if is_yaml(head) => Layout::Yaml,
        _ => Layout::Lines,
    }
}

/// Whether a text begins as YAML does, behind comments: with `---`, or with a name and a colon that fill a line.
fn is_yaml(head: &[u8]) -> bool {
    let mut lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    let Some(line) = lines.find(|line| !line.is_empty() && line[0] != b'#') else { return false };
    let is_name =
        |name: &[u8]| !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    line == b"---" || line.starts_with(b"%YAML") || line.strip_suffix(b":").is_some_and(is_name)
}

impl Layout {
    /// Lines where more values follow, else the one array.
    fn or_array(self, rest: &[u8]) -> Layout {
        if matches!(rest.first(), Some(b'[' | b'{')) { self } else { Layout::Array }
    }
}

/// Whether a line holds exactly one value of brackets.
fn balanced(line: &[u8]) -> bool {
    let mut scan = Scan::default();
    scan.take(line) == line.len() && scan.ended
}

/// Whether a line ends where JSON written over several lines breaks.
fn opens(line: &[u8]) -> bool {
    let mut scan = Scan::default();
    let taken = scan.take(line);
    let more = taken == line.len() && !scan.ended && !scan.in_string;
    more && matches!(line.last(), Some(b'{' | b'[' | b',' | b':'))
}

/// Whether the first line of `rest` is a whole object of its own.
fn first_is_object(rest: &[u8]) -> bool {
    let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii();
    line.first() == Some(&b'{') && balanced(line)
}
