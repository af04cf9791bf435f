//! A reader that takes the digest of what passes through it.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use super::End;

/// The digest of the bytes so far.
#[derive(Default)]
pub struct Digest {
    hasher: blake3::Hasher,
    bytes: u64,
}

impl Digest {
    /// The end of the input with these bytes.
    pub fn end(self, source: Arc<str>) -> End {
        End { source, hash: self.hasher.finalize().into(), bytes: self.bytes }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
    }
}

/// A reader and the digest of what is read from it.
pub struct Digested<'d, R> {
    pub reader: R,
    pub digest: &'d mut Digest,
}

impl<R: BufRead> Read for Digested<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(buffer)?;
        self.digest.add(&buffer[..n]);
        Ok(n)
    }
}

impl<R: BufRead> BufRead for Digested<'_, R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, n: usize) {
        // What is buffered is still there: filling again reads nothing.
        if let Ok(buffered) = self.reader.fill_buf() {
            self.digest.add(&buffered[..n.min(buffered.len())]);
        }
        self.reader.consume(n);
    }
}
