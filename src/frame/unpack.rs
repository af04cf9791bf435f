//! Takes compressed input apart: gzip and zstd, told by their first bytes, whatever the name says.
//!
//! Decompression streams, so memory does not grow with the input. Where the packed data breaks off the stream ends, what
//! came before it is kept, and [`Broken`] holds the reason; only errors of the system below stay errors.

use std::borrow::Cow;
use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

/// The unpacked bytes that are held at once.
const BUFFER: usize = 1 << 18;

/// Why packed data could not be read to its end, once that is known.
pub type Broken = Rc<Cell<Option<String>>>;

/// The bytes behind `reader`, unpacked where they are packed.
pub fn unpack<'r>(mut reader: impl BufRead + 'r, broken: &Broken) -> io::Result<Box<dyn BufRead + 'r>> {
    let mut magic = Vec::new();
    (&mut reader).take(4).read_to_end(&mut magic)?;
    let Some(kind) = packing(&magic) else { return Ok(Box::new(io::Cursor::new(magic).chain(reader))) };
    let packed: Box<dyn BufRead + 'r> = Box::new(io::Cursor::new(magic).chain(reader));
    let inner: Box<dyn Read + 'r> = match kind {
        "gzip" => Box::new(MultiGzDecoder::new(packed)),
        _ => Box::new(Zstd { state: State::Between(packed) }),
    };
    Ok(Box::new(BufReader::with_capacity(BUFFER, Lenient { inner, kind, broken: broken.clone() })))
}

/// Why bytes could not be unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotUnpacked {
    /// They give more than the limit.
    TooLong,
    /// They are no whole packed data: why.
    Broken(String),
}

/// Bytes that were held in a value or a body, unpacked where they are packed.
pub fn unpacked(bytes: &[u8], limit: usize) -> Result<Cow<'_, [u8]>, NotUnpacked> {
    if packing(bytes).is_none() {
        return if bytes.len() <= limit { Ok(bytes.into()) } else { Err(NotUnpacked::TooLong) };
    }
    let broken = Broken::default();
    let mut plain = Vec::new();
    let read = unpack(bytes, &broken).and_then(|reader| reader.take(limit as u64 + 1).read_to_end(&mut plain));
    match (read, broken.take()) {
        (Err(error), _) => Err(NotUnpacked::Broken(error.to_string())),
        (_, Some(reason)) => Err(NotUnpacked::Broken(reason)),
        _ if plain.len() > limit => Err(NotUnpacked::TooLong),
        _ => Ok(plain.into()),
    }
}

/// What packed the bytes, by how they begin.
fn packing(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x1f, 0x8b, ..] => Some("gzip"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some("zstd"),
        _ => None,
    }
}

/// Ends where the packed data is broken, and says so.
struct Lenient<'r> {
    inner: Box<dyn Read + 'r>,
    kind: &'static str,
    broken: Broken,
}

impl Read for Lenient<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.inner.read(buffer) {
            Err(error) if error.raw_os_error().is_none() && error.kind() != io::ErrorKind::Interrupted => {
                let reason = format!("broken {} data ({error})", self.kind);
                self.broken.set(Some(reason));
                self.inner = Box::new(io::empty());
                Ok(0)
            }
            done => done,
        }
    }
}

type Packed<'r> = Box<dyn BufRead + 'r>;

/// One zstd frame after the other.
struct Zstd<'r> {
    state: State<'r>,
}

enum State<'r> {
    Between(Packed<'r>),
    Inside(Box<StreamingDecoder<Packed<'r>, ruzstd::decoding::FrameDecoder>>),
    Ended,
}

impl Read for Zstd<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match std::mem::replace(&mut self.state, State::Ended) {
                State::Ended => return Ok(0),
                State::Between(mut packed) => {
                    if packed.fill_buf()?.is_empty() {
                        return Ok(0);
                    }
                    let decoder = StreamingDecoder::new(packed).map_err(io::Error::other)?;
                    self.state = State::Inside(Box::new(decoder));
                }
                State::Inside(mut decoder) => {
                    let n = decoder.read(buffer)?;
                    if n > 0 || buffer.is_empty() {
                        self.state = State::Inside(decoder);
                        return Ok(n);
                    }
                    self.state = State::Between(decoder.into_inner());
                }
            }
        }
    }
}
