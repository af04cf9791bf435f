//! What a path on the command line names: files, in the order of their names.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Error;

/// The files behind a path.
#[derive(Default)]
pub struct Found {
    pub files: Vec<PathBuf>,
    /// Folders that could not be read.
    pub unreadable: Vec<(PathBuf, io::Error)>,
    /// They were looked for, in a folder or by a pattern, and not named one by one.
    pub searched: bool,
}

/// The files behind a path: itself, those below a folder, or those that match a pattern.
pub fn find(path: &str) -> Result<Found, Error> {
    let named = Path::new(path);
    if named.is_dir() {
        return Ok(below(named));
    }
    if named.exists() || !path.contains(['*', '?']) {
        return match named.symlink_metadata() {
            Ok(_) => Ok(Found { files: vec![named.to_owned()], ..Found::default() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Error::Missing(path.to_owned())),
            Err(why) => Err(Error::Unreadable { path: path.to_owned(), why }),
        };
    }
    let (base, pattern) = split(path);
    let mut found = below(&base);
    found.files.retain(|file| {
        let tail = file.strip_prefix(&base).unwrap_or(file).to_string_lossy().into_owned();
        is_match(pattern.as_bytes(), tail.as_bytes())
    });
    // A pattern for one folder has nothing in the folders below it.
    if !pattern.contains('/') && !pattern.contains("**") {
        found.unreadable.clear();
    }
    let is_none = found.files.is_empty() && found.unreadable.is_empty();
    if is_none { Err(Error::NoMatch(path.to_owned())) } else { Ok(found) }
}

/// The folder before the first part with a wildcard, and the rest.
fn split(path: &str) -> (PathBuf, String) {
    let wild = path.find(['*', '?']).unwrap_or(path.len());
    match path[..wild].rfind('/') {
        Some(0) => (PathBuf::from("/"), path[1..].to_owned()),
        Some(slash) => (PathBuf::from(&path[..slash]), path[slash + 1..].to_owned()),
        None => (PathBuf::from("."), path.to_owned()),
    }
}

/// Every regular file below a folder; a folder that was seen (through a link) is not entered again.
fn below(folder: &Path) -> Found {
    let mut found = Found { searched: true, ..Found::default() };
    walk(folder, &mut HashSet::new(), &mut found);
    found
}

fn walk(folder: &Path, seen: &mut HashSet<PathBuf>, found: &mut Found) {
    let mut entries = match list(folder, seen) {
        Ok(entries) => entries,
        Err(error) => return found.unreadable.push((folder.to_owned(), error)),
    };
    entries.sort();
    for entry in entries {
        let hidden = entry.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if hidden {
            continue;
        }
        if entry.is_dir() {
            walk(&entry, seen, found);
        } else if entry.is_file() {
            found.files.push(entry);
        }
    }
}

/// What a folder holds; nothing where it was seen before.
fn list(folder: &Path, seen: &mut HashSet<PathBuf>) -> io::Result<Vec<PathBuf>> {
    if !seen.insert(fs::canonicalize(folder)?) {
        return Ok(Vec::new());
    }
    fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect()
}

/// Whether a name matches: `?` is one byte and `*` any number, both but `/`; `**` crosses folders.
fn is_match(pattern: &[u8], name: &[u8]) -> bool {
    match pattern {
        [] => name.is_empty(),
        [b'*', b'*', b'/', rest @ ..] if is_match(rest, name) => true,
        [b'*', b'*', rest @ ..] => (0..=name.len()).any(|at| is_match(rest, &name[at..])),
        [b'*', rest @ ..] => {
            let end = name.iter().position(|byte| *byte == b'/').unwrap_or(name.len());
            (0..=end).any(|at| is_match(rest, &name[at..]))
        }
        [b'?', rest @ ..] => name.first().is_some_and(|byte| *byte != b'/') && is_match(rest, &name[1..]),
        [byte, rest @ ..] => name.first() == Some(byte) && is_match(rest, &name[1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stay_in_their_folder_unless_doubled() {
        let is = |pattern: &str, name: &str| is_match(pattern.as_bytes(), name.as_bytes());
        assert!(is("*.jsonl", "a.jsonl") && !is("*.jsonl", "b/a.jsonl"));
        assert!(is("**/*.jsonl", "b/c/a.jsonl") && is("**/*.jsonl", "a.jsonl"));
        assert!(is("b/?.json", "b/a.json") && !is("b/?.json", "b/ab.json"));
    }
}
