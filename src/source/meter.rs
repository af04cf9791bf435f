//! How far reading has come, for whoever shows it meanwhile.

use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bytes of the input, and how many of them were read.
#[derive(Debug, Default)]
pub struct Meter {
    total: AtomicU64,
    passed: AtomicU64,
}

impl Meter {
    /// The bytes of all files that will be read; 0 where that is not known.
    pub fn total(&self) -> u64 {
        self.total.load(Relaxed)
    }

    /// The bytes that were read, packed as they are.
    pub fn passed(&self) -> u64 {
        self.passed.load(Relaxed)
    }

    pub(super) fn expect(&self, bytes: u64) {
        self.total.fetch_add(bytes, Relaxed);
    }
}

/// A reader whose bytes are counted.
pub struct Metered<'m, R> {
    pub reader: R,
    pub meter: Option<&'m Meter>,
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(buffer)?;
        if let Some(meter) = self.meter {
            meter.passed.fetch_add(n as u64, Relaxed);
        }
        Ok(n)
    }
}
