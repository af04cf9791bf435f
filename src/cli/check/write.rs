//! The body of a repaired request, to a file.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::cli::exit::Usage;
use crate::dialects;
use crate::model::{Place, Request};
use crate::repair::Repair;

/// What is to be written, as requests pass by.
pub(super) struct Written<'a> {
    path: &'a Path,
    requests: u64,
    is_read: bool,
    /// The body as it would be sent; what stands in the way where it would be refused.
    body: Result<String, String>,
}

impl Written<'_> {
    /// Nothing yet, for a file of that name.
    pub fn new(path: &Path) -> Written<'_> {
        Written { path, requests: 0, is_read: false, body: Err("the log holds no request as it was sent".to_owned()) }
    }

    /// Takes in one request; one that would be taken needs no repair and is written as it is.
    pub fn take(&mut self, place: &Place, request: Option<&Request>, repair: Option<&Repair>) {
        self.requests += 1;
        self.is_read |= is_same(Path::new(&*place.source), self.path);
        let Some(request) = request else { return };
        self.body = match repair {
            Some(repair) if !repair.is_complete() => {
                Err(format!("no repair is known for {}", repair.unrepaired.join(", ")))
            }
            Some(repair) => Ok(format!("{:#}\n", repair.body())),
            None => Ok(format!("{:#}\n", (dialects::for_api(request.api).render)(request))),
        };
    }

    /// Writes the one request there was.
    pub fn end(self) -> Result<()> {
        let name = self.path.display();
        if self.requests != 1 {
            let several = format!("--write takes one request, and there are {}: check that one alone", self.requests);
            return Err(Usage(several).into());
        }
        if self.is_read {
            return Err(Usage(format!("`{name}` is what was read: write to another file")).into());
        }
        match self.body {
            Ok(body) => fs::write(self.path, body).with_context(|| format!("could not write `{name}`")),
            Err(why) => {
                eprintln!("`{name}` was not written: {why}");
                Ok(())
            }
        }
    }
}

/// Whether two paths lead to one file.
fn is_same(one: &Path, other: &Path) -> bool {
    fs::canonicalize(one).ok().zip(fs::canonicalize(other).ok()).is_some_and(|(one, other)| one == other)
}
