//! Where the programs of a Postgres server are on this machine: the newest of all that are installed.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

/// The oldest major version that our SQL runs on.
const OLDEST: u32 = 15;

/// What a folder must hold to be of use.
const PROGRAMS: &[&str] = &["postgres", "initdb", "pg_ctl"];

/// Folders of which every entry that begins so may hold a version of Postgres in its `bin`.
const INSTALLED: &[(&str, &str)] = &[
    ("/usr/lib/postgresql", ""),
    ("/usr/lib", "postgresql"),
    ("/usr/libexec", "postgresql"),
    ("/usr", "pgsql-"),
    ("/opt/homebrew/opt", "postgresql"),
    ("/usr/local/opt", "postgresql"),
    ("/home/linuxbrew/.linuxbrew/opt", "postgresql"),
];

/// The programs of one installed version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Binaries {
    version: (u32, u32),
    folder: PathBuf,
}

impl Binaries {
    /// The path of one program.
    pub fn program(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The newest installed ones; of one major version where data of that version wait for them.
    pub fn find(major: Option<u32>) -> Result<Binaries> {
        let given = env::var_os("CUTPOINT_PG_BIN").filter(|folder| !folder.is_empty()).map(PathBuf::from);
        let mut found: Vec<Binaries> = match &given {
            Some(folder) => at(folder).into_iter().collect(),
            None => folders().iter().filter_map(|folder| at(folder)).collect(),
        };
        found.retain(|binaries| binaries.version.0 >= OLDEST);
        let newest = found.iter().max().map(|binaries| binaries.version.0);
        let fitting = found.into_iter().filter(|binaries| major.is_none_or(|major| binaries.version.0 == major)).max();
        match (fitting, newest, major, given) {
            (Some(binaries), ..) => Ok(binaries),
            (None, Some(newest), Some(major), _) => bail!(
                "the data were written by PostgreSQL {major} but only {newest} is installed: install {major} as well, or \
                 choose another --data-dir"
            ),
            (.., Some(given)) => {
                bail!("CUTPOINT_PG_BIN: `{}` holds no PostgreSQL server of version {OLDEST} or later", given.display())
            }
            _ => bail!("found no PostgreSQL server of version {OLDEST} or later: {}", remedy(&os_release())),
        }
    }
}

/// The programs in one folder, if they are all there and say their version.
fn at(folder: &Path) -> Option<Binaries> {
    if !PROGRAMS.iter().all(|program| folder.join(program).is_file()) {
        return None;
    }
    let output = Command::new(folder.join("postgres")).arg("--version").output().ok()?;
    let version = version(&String::from_utf8_lossy(&output.stdout))?;
    Some(Binaries { version, folder: folder.into() })
}

/// The version in the answer to `postgres --version`, such as `postgres (PostgreSQL) 17.2 (Debian 17.2-1)`.
fn version(answer: &str) -> Option<(u32, u32)> {
    let number = answer.split_once("(PostgreSQL) ")?.1.split_whitespace().next()?;
    let mut parts = number.split(|c: char| !c.is_ascii_digit());
    let major = parts.next()?.parse().ok()?;
    Some((major, parts.next().and_then(|minor| minor.parse().ok()).unwrap_or(0)))
}

fn folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = env::var_os("PATH").iter().flat_map(env::split_paths).collect();
    if let Ok(output) = Command::new("pg_config").arg("--bindir").output() {
        folders.push(String::from_utf8_lossy(&output.stdout).trim().into());
    }
    for (folder, prefix) in INSTALLED {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(prefix) {
                folders.push(entry.path().join("bin"));
                folders.push(entry.path());
            }
        }
    }
    folders.sort();
    folders.dedup();
    folders
}

fn os_release() -> String {
    if cfg!(target_os = "macos") {
        return "ID=macos".into();
    }
    fs::read_to_string("/etc/os-release").unwrap_or_default()
}

/// What to do about missing binaries, on the system that an os-release file describes.
fn remedy(os_release: &str) -> String {
    let names: Vec<&str> = os_release
        .lines()
        .filter_map(|line| line.strip_prefix("ID=").or_else(|| line.strip_prefix("ID_LIKE=")))
        .flat_map(|value| value.trim_matches('"').split_whitespace())
        .collect();
    let install = |system: &&str| {
        Some(match *system {
            "debian" | "ubuntu" => "apt-get install postgresql",
            "fedora" | "rhel" | "centos" => "dnf install postgresql-server",
            "alpine" => "apk add postgresql",
            "arch" => "pacman -S postgresql",
            "suse" | "opensuse" => "zypper install postgresql-server",
            "macos" => "brew install postgresql@17",
            _ => return None,
        })
    };
    match names.iter().find_map(install) {
        Some(command) => format!("install one with `{command}`, or set DATABASE_URL"),
        None => "install your system's PostgreSQL server package, or set DATABASE_URL".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_the_server_says() {
        assert_eq!(version("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n"), Some((15, 18)));
        assert_eq!(version("postgres (PostgreSQL) 18beta1\n"), Some((18, 0)));
        assert_eq!(version("something else"), None);
    }

    #[test]
    fn the_remedy_names_the_package_of_the_platform() {
        for (system, package) in [
            ("ID=debian", "apt-get install postgresql"),
            ("ID=linuxmint\nID_LIKE=\"ubuntu debian\"", "apt-get install postgresql"),
            ("ID=fedora", "dnf install postgresql-server"),
            ("ID=alpine", "apk add postgresql"),
            ("ID=arch", "pacman -S postgresql"),
            ("ID=macos", "brew install postgresql"),
            ("", "PostgreSQL server package"),
        ] {
            let line = remedy(system);
            assert!(line.contains(package), "{system}: {line}");
            assert!(!line.contains('\n'));
        }
    }
}
