//! Seeded randomness: the same seed gives the same numbers on every machine.

/// A generator of numbers (splitmix64).
pub struct Random(u64);

impl Random {
    /// The sequence of a seed; `stream` tells sequences of one seed apart.
    pub fn new(seed: u64, stream: u64) -> Random {
        let mut random = Random(seed ^ stream.wrapping_mul(0xd134_2543_de82_ef95));
        random.next_u64();
        random
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `n`; 0 where `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// True in `permille` of a thousand cases.
    pub fn chance(&mut self, permille: u32) -> bool {
        self.below(1000) < u64::from(permille)
    }

    /// A count of one or more whose mean is about `mean`, each further one as likely as the one before.
    pub fn geometric(&mut self, mean: u32) -> u32 {
        let more = 1000 - 1000 / mean.max(1);
        let mut n = 1;
        while n < mean.saturating_mul(6) && self.chance(more) {
            n += 1;
        }
        n
    }

    /// A long-tailed size around `median`: halved or doubled, with equal chances, a few times over.
    pub fn long_tailed(&mut self, median: u32) -> u32 {
        let exponent: u64 = (0..12).map(|_| self.below(1000)).sum();
        let thirds = (exponent as i64 - 6000) / 250;
        let mut size = u64::from(median.max(1)) * 1000;
        for _ in 0..thirds.unsigned_abs() {
            size = if thirds > 0 { size * 1260 / 1000 } else { size * 794 / 1000 };
        }
        (size / 1000).clamp(1, u64::from(u32::MAX)) as u32
    }

    /// One of a list that is not empty.
    pub fn pick<'l, T: ?Sized>(&mut self, list: &'l [&'l T]) -> &'l T {
        list[self.below(list.len() as u64) as usize]
    }
}
