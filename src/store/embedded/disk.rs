//! Whether the disk that holds the data has room left. Postgres ends at once where it can write no more, and what its
//! clients see of that is a connection that breaks off.
//!
//! `df` is asked, because it knows quotas and reserved blocks as the system counts them, and needs no unsafe code.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What the server needs to start and recover: its log of changes grows by files of 16 MB.
const NEEDED_MB: u64 = 64;

/// The disk that holds the private server's data is full.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the disk is full: {free_mb} MB are left for `{}`; free at least {NEEDED_MB} MB there, and about as much as the logs \
     that are still to be stored, or choose another --data-dir, and run this again: what was stored stays", .data.display()
)]
pub struct DiskFull {
    data: PathBuf,
    free_mb: u64,
}

/// The disk behind a folder, or the nearest one above it, if it has too little room.
pub fn full(data: &Path) -> Option<DiskFull> {
    let folder = data.ancestors().find(|folder| folder.is_dir())?;
    let output = Command::new("df").args(["-P", "-k"]).arg(folder).env("LC_ALL", "C").output().ok()?;
    let free_mb = free_kb(&String::from_utf8_lossy(&output.stdout))? >> 10;
    (free_mb < NEEDED_MB).then(|| DiskFull { data: data.to_owned(), free_mb })
}

/// The number of free blocks of 1 kB in what `df -P -k` says of one folder.
fn free_kb(said: &str) -> Option<u64> {
    let line = said.lines().nth(1)?;
    // Names of file systems may hold blanks, so the columns are counted from the one with the percent sign.
    let fields: Vec<&str> = line.split_whitespace().collect();
    let percent =
        fields.iter().position(|field| field.strip_suffix('%').is_some_and(|share| share.parse::<u8>().is_ok()));
    let free: i64 = fields.get(percent?.checked_sub(1)?)?.parse().ok()?;
    Some(free.max(0).unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_space_is_read_from_what_df_says() {
        let said =
            |line: &str| free_kb(&format!("Filesystem 1024-blocks Used Available Capacity Mounted on\n{line}\n"));
        assert_eq!(said("/dev/vda 264130548 13042464 82345678 14% /"), Some(82_345_678));
        assert_eq!(said("tmpfs 16384 16384 0 100% /tmp/a full 90% folder"), Some(0));
        assert_eq!(said("tmpfs 16384 16384 0 100% /tmp/full"), Some(0));
        assert_eq!(said("map auto home 100 90 10 90% /System/Volumes/Data/home"), Some(10));
        assert_eq!(said("/dev/disk 100 105 -5 105% /"), Some(0));
        assert_eq!((said(""), free_kb("")), (None, None));
    }

    #[test]
    fn a_disk_with_room_is_not_full() {
        // A file system that has no blocks has none to run out of.
        assert_eq!(free_kb("Filesystem 1024-blocks Used Available Capacity Mounted on\nproc 0 0 0 - /proc\n"), None);
        assert!(full(&std::env::temp_dir().join("not/there/yet")).is_none());
    }

    #[test]
    fn a_full_disk_is_told_with_place_and_need() {
        let told = DiskFull { data: "/data/postgres".into(), free_mb: 3 }.to_string();
        assert!(told.contains("3 MB are left for `/data/postgres`") && told.contains("at least 64 MB"), "{told}");
    }
}
