//! Logging: where it goes and how much.

use std::io::IsTerminal;

use clap::{Args, ValueEnum};
use tracing_subscriber::EnvFilter;

/// How Cutpoint logs; always to stderr.
#[derive(Debug, Args)]
#[command(next_help_heading = "Logging")]
pub struct Log {
    /// Say more: -v what is done, -vv how
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,
    /// Say errors only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// The form of the log
    #[arg(long, value_enum, default_value_t = Form::Text, env = "CUTPOINT_LOG_FORMAT", global = true)]
    log_format: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    Text,
    Json,
}

impl Log {
    /// Starts logging.
    pub fn start(&self) {
        let level = match (self.quiet, self.verbose) {
            (true, _) => "error",
            (false, 0) => "warn,cutpoint=info",
            (false, 1) => "info,cutpoint=debug",
            (false, _) => "debug,cutpoint=trace",
        };
        let filter = EnvFilter::try_from_env("CUTPOINT_LOG").unwrap_or_else(|_| EnvFilter::new(level));
        let logger = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
        match self.log_format {
            Form::Text => logger.with_ansi(std::io::stderr().is_terminal()).without_time().init(),
            Form::Json => logger.json().init(),
        }
    }
}
