//! The `cutpoint` program.

use std::process::ExitCode;

use clap::Parser;
use cutpoint::cli::{Cli, code, told};

/// Reading a log is making many small values and dropping them again.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match Cli::parse().run() {
        Ok(exit) => exit.code(),
        Err(error) => {
            eprintln!("error: {}", told(&error));
            code(&error)
        }
    }
}
