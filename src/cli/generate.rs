//! `cutpoint generate`: synthetic traffic, from a seed.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};

use crate::generate::{self, Shape};

use super::exit::Exit;

/// Write synthetic agent traffic; the same seed and shape give the same bytes
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  cutpoint generate --sessions 200 --seed 7 --out calls.jsonl\n  \
                        cutpoint generate --sessions 5000 --form sessions --out - | cutpoint replay - --window 16k")]
pub struct Generate {
    /// Sessions to write
    #[arg(long, default_value_t = Shape::default().sessions, value_parser = clap::value_parser!(u32).range(1..))]
    sessions: u32,
    /// What everything random grows from
    #[arg(long, default_value_t = Shape::default().seed)]
    seed: u64,
    /// The file to write, `-` for stdout
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// native: one call a line with its whole request; sessions: one session a line
    #[arg(long, value_enum, default_value_t = Form::Native)]
    form: Form,
    /// Exchanges of a session, on average
    #[arg(long, default_value_t = Shape::default().exchanges)]
    exchanges: u32,
    /// Rounds with tools in an exchange that uses them, on average
    #[arg(long, default_value_t = Shape::default().rounds)]
    rounds: u32,
    /// Exchanges that use tools, of a thousand
    #[arg(long, default_value_t = Shape::default().tool_permille, value_parser = permille())]
    tool_permille: u32,
    /// Rounds that ask for several tools at once, of a thousand
    #[arg(long, default_value_t = Shape::default().parallel_permille, value_parser = permille())]
    parallel_permille: u32,
    /// Tokens of a tool result, at the median of a long-tailed distribution
    #[arg(long, default_value_t = Shape::default().result_tokens)]
    result_tokens: u32,
    /// Tokens at which a session ends: how hard it presses on a window
    #[arg(long, default_value_t = Shape::default().max_tokens)]
    max_tokens: u32,
    /// Tokens at which the client of a native log compacts, by dropping the oldest messages
    #[arg(long, default_value_t = Shape::default().compact_at)]
    compact_at: u32,
    /// Sessions that speak Anthropic Messages, of a thousand; the others speak OpenAI Chat
    #[arg(long, default_value_t = Shape::default().anthropic_permille, value_parser = permille())]
    anthropic_permille: u32,
}

fn permille() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(0..=1000)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    Native,
    Sessions,
}

impl Generate {
    pub fn run(self) -> Result<Exit> {
        let form = match self.form {
            Form::Native => generate::Form::Native,
            Form::Sessions => generate::Form::Sessions,
        };
        let name = self.out.display();
        let written = if self.out.as_os_str() == "-" {
            write(&self.shape(), form, std::io::stdout().lock())
        } else {
            let file = File::create(&self.out).with_context(|| format!("could not create `{name}`"))?;
            write(&self.shape(), form, file)
        };
        match written {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(Exit::Pass),
            written => written.map(|()| Exit::Pass).with_context(|| format!("could not write `{name}`")),
        }
    }

    fn shape(&self) -> Shape {
        Shape {
            sessions: self.sessions,
            seed: self.seed,
            exchanges: self.exchanges,
            rounds: self.rounds,
            tool_permille: self.tool_permille,
            parallel_permille: self.parallel_permille,
            result_tokens: self.result_tokens,
            max_tokens: self.max_tokens,
            compact_at: self.compact_at,
            anthropic_permille: self.anthropic_permille,
        }
    }
}

fn write(shape: &Shape, form: generate::Form, out: impl Write) -> std::io::Result<()> {
    let mut out = BufWriter::new(out);
    generate::write(shape, form, &mut out)?;
    out.flush()
}
