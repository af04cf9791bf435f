//! Under whose account the private server runs: ours, or an unprivileged one where we are root.
//!
//! Postgres refuses to run as root. `id` answers all questions here, because it knows directory services and needs no
//! unsafe code.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Accounts that may run the server when we are root, best first.
const UNPRIVILEGED: &[&str] = &["postgres", "nobody"];

/// Another account than our own that runs the server.
#[derive(Clone, Debug)]
pub struct Account {
    pub name: &'static str,
    uid: u32,
    gid: u32,
}

/// The account that must run the server; `None` where it may be our own.
pub fn for_server() -> Result<Option<Account>> {
    if id(&["-u"])? != Some(0) {
        return Ok(None);
    }
    for name in UNPRIVILEGED {
        if let (Some(uid), Some(gid)) = (id(&["-u", name])?, id(&["-g", name])?) {
            return Ok(Some(Account { name, uid, gid }));
        }
    }
    bail!("Postgres does not run as root, and there is no account `{}`", UNPRIVILEGED.join("` or `"))
}

/// What `id` prints; `None` where it knows no such account.
fn id(arguments: &[&str]) -> Result<Option<u32>> {
    let output = Command::new("id").args(arguments).output().context("could not run `id`")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().parse().ok())
}

impl Account {
    /// Lets a command run under this account, with none of our groups.
    pub fn run(&self, command: &mut Command) {
        command.uid(self.uid).gid(self.gid);
    }

    /// Gives a folder to this account.
    pub fn own(&self, path: &Path) -> Result<()> {
        chown(path, Some(self.uid), Some(self.gid))
            .with_context(|| format!("could not give `{}` to the account `{}`", path.display(), self.name))
    }

    /// Whether a folder belongs to this account.
    pub fn owns(&self, metadata: &fs::Metadata) -> bool {
        metadata.uid() == self.uid
    }

    /// Whether this account may pass through a folder and all above it.
    pub fn reaches(&self, path: &Path) -> bool {
        path.ancestors().filter_map(|folder| fs::metadata(folder).ok()).all(|metadata| self.passes(&metadata))
    }

    fn passes(&self, metadata: &fs::Metadata) -> bool {
        let search = match metadata {
            _ if metadata.uid() == self.uid => 0o100,
            _ if metadata.gid() == self.gid => 0o010,
            _ => 0o001,
        };
        metadata.permissions().mode() & search != 0
    }
}
