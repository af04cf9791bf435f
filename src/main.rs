//! The `cutpoint` program.

use std::process::ExitCode;

use clap::Parser;
use cutpoint::cli::{Cli, code};

fn main() -> ExitCode {
    match Cli::parse().run() {
        Ok(exit) => exit.code(),
        Err(error) => {
            eprintln!("error: {error:#}");
            code(&error)
        }
    }
}
