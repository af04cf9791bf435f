//! `cutpoint completions` and `cutpoint man`: what a package installs beside the program, made from the arguments
//! themselves.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use super::Cli;
use super::exit::Exit;
use super::output::print;

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  cutpoint completions bash >~/.local/share/bash-completion/completions/cutpoint\n  \
                        cutpoint completions zsh >~/.zfunc/_cutpoint\n  \
                        cutpoint completions fish >~/.config/fish/completions/cutpoint.fish"
)]
pub struct Completions {
    shell: Shell,
}

/// Print the manual page, or write that of every verb
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cutpoint man | man -l -\n  cutpoint man --dir ~/.local/share/man/man1")]
pub struct ManPages {
    /// Write one page for the program and one for each verb into this folder
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Completions {
    pub fn run(self) -> Result<Exit> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "cutpoint", &mut script);
        print(&String::from_utf8(script)?)?;
        Ok(Exit::Pass)
    }
}

impl ManPages {
    pub fn run(self) -> Result<Exit> {
        match self.dir {
            None => print(&page(Cli::command())?)?,
            Some(folder) => write_all(&folder)?,
        }
        Ok(Exit::Pass)
    }
}

fn page(command: clap::Command) -> Result<String> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    Ok(String::from_utf8(page)?)
}

fn write_all(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("could not make the folder `{}`", folder.display()))?;
    clap_mangen::generate_to(Cli::command(), folder)
        .with_context(|| format!("could not write manual pages into `{}`", folder.display()))
}
