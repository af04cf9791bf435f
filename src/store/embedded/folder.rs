//! The folders of the private server, made safe before anything runs in them or connects to them.
//!
//! ```text
//! <data>/              ours; holds the lock files
//! <data>/postgres/     Postgres' own data, 0700, of the account that runs it
//! <data>/run/          the socket, 0700; a short folder under /tmp where this path is too long for one
//! ```

use std::env;
use std::fs::{self, DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::account::{self, Account};

/// The number in the socket's name; nothing listens on it as a TCP port.
pub const PORT: u16 = 5432;

/// The longest path that a unix socket may have on every system we run on (macOS 103, Linux 107).
const SOCKET_PATH_MAX: usize = 103;

/// Where the private server keeps what, and who runs it.
#[derive(Clone, Debug)]
pub struct Folder {
    root: PathBuf,
    /// The folder of the socket.
    pub socket: PathBuf,
    /// The account that runs the server, where it is not ours.
    pub account: Option<Account>,
}

impl Folder {
    /// Makes the folders under `data_dir`, by default the user's data folder, as far as they are missing.
    pub fn prepare(data_dir: Option<&Path>) -> Result<Folder> {
        let account = account::for_server()?;
        let root = match data_dir {
            Some(folder) => folder.to_path_buf(),
            None => default_root(account.as_ref())?,
        };
        fs::create_dir_all(&root).with_context(|| format!("could not make the data folder `{}`", root.display()))?;
        let root = fs::canonicalize(&root).with_context(|| format!("could not open `{}`", root.display()))?;
        if let Some(account) = &account {
            open_to(account, &root)?;
        }
        let socket = socket_folder(&root);
        Ok(Folder { root, socket, account })
    }

    /// The lock that every client holds shared.
    pub fn lease(&self) -> PathBuf {
        self.root.join("lease")
    }

    /// The lock held by whoever starts the server.
    pub fn start(&self) -> PathBuf {
        self.root.join("start")
    }

    /// Postgres' own data.
    pub fn data(&self) -> PathBuf {
        self.root.join("postgres")
    }

    /// Where those data grow until they are whole; further names are for when the first is still in use.
    pub fn unfinished(&self, number: u32) -> PathBuf {
        match number {
            0 => self.root.join("postgres.unfinished"),
            number => self.root.join(format!("postgres.unfinished.{number}")),
        }
    }

    /// A short name that no other data folder has.
    pub fn name(&self) -> String {
        name_of(&self.root)
    }

    /// The socket itself.
    pub fn socket_file(&self) -> PathBuf {
        self.socket.join(socket_name())
    }

    /// Removes the socket's folder where it stands apart from the data; else it may stay.
    pub fn leave_no_socket(&self) {
        if !self.socket.starts_with(&self.root) {
            // Only an empty folder goes; one that still holds something is used again at the next start.
            fs::remove_dir(&self.socket).ok();
        }
    }

    /// Makes a folder that only the server's account can enter; refuses one that belongs to somebody else.
    pub fn make_private(&self, path: &Path) -> Result<()> {
        if !path.exists() {
            DirBuilder::new()
                .mode(0o700)
                .create(path)
                .or_else(|error| if path.is_dir() { Ok(()) } else { Err(error) })
                .with_context(|| format!("could not make the folder `{}`", path.display()))?;
        }
        let metadata = fs::symlink_metadata(path).with_context(|| format!("could not look at `{}`", path.display()))?;
        match &self.account {
            Some(account) if !account.owns(&metadata) && metadata.uid() == 0 && metadata.is_dir() => {
                account.own(path)?
            }
            _ => {}
        }
        let metadata = fs::symlink_metadata(path)?;
        let root = fs::metadata(&self.root)?;
        let owned = self.account.as_ref().map_or(metadata.uid() == root.uid(), |account| account.owns(&metadata));
        if !metadata.is_dir() || !owned {
            bail!("`{}` belongs to somebody else: remove it or choose another --data-dir", path.display());
        }
        set_mode(path, 0o700)
    }
}

fn socket_name() -> String {
    format!(".s.PGSQL.{PORT}")
}

/// The folder for the socket: beside the data, unless the path gets too long for the system.
fn socket_folder(root: &Path) -> PathBuf {
    let beside = root.join("run");
    // Postgres also makes a lock file beside the socket, but only the socket's own path is limited.
    if beside.join(socket_name()).as_os_str().len() <= SOCKET_PATH_MAX {
        return beside;
    }
    Path::new("/tmp").join(name_of(root))
}

fn name_of(root: &Path) -> String {
    let hash = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
    format!("cutpoint-{}", &hash[..16])
}

fn default_root(account: Option<&Account>) -> Result<PathBuf> {
    let root = user_root()?;
    match account {
        Some(account) if !account.reaches(nearest(&root)) => Ok("/var/lib/cutpoint".into()),
        _ => Ok(root),
    }
}

fn user_root() -> Result<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    match (set("XDG_DATA_HOME").filter(|folder| folder.is_absolute()), set("HOME")) {
        (Some(data), _) => Ok(data.join("cutpoint")),
        (None, Some(home)) => Ok(home.join(".local/share/cutpoint")),
        (None, None) => bail!("there is no HOME to keep data in: set --data-dir or DATABASE_URL"),
    }
}

/// The nearest folder above a path that exists.
fn nearest(path: &Path) -> &Path {
    path.ancestors().find(|folder| folder.exists()).unwrap_or(path)
}

/// Lets the server's account pass through our folder; says so where it cannot even get there.
fn open_to(account: &Account, root: &Path) -> Result<()> {
    let mode = fs::metadata(root)?.permissions().mode();
    if !account.reaches(root) {
        set_mode(root, mode | 0o011)?;
    }
    if !account.reaches(root) {
        bail!(
            "as root, Postgres runs as `{}`, which cannot enter `{}`: choose another --data-dir",
            account.name,
            root.display()
        );
    }
    Ok(())
}

fn set_mode(path: &Path, mode: u32) -> Result<()> {
    if fs::metadata(path)?.permissions().mode() & 0o7777 == mode & 0o7777 {
        return Ok(());
    }
    fs::set_permissions(path, Permissions::from_mode(mode))
        .with_context(|| format!("could not set the mode of `{}`", path.display()))
}
