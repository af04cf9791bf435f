//! A sign of life on stderr while something takes long: a spinner on a terminal, silence elsewhere.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Counts `things` as they pass, under a heading that says what is done.
pub struct Progress(ProgressBar);

impl Progress {
    /// Starts counting.
    pub fn start(doing: &'static str, things: &str) -> Progress {
        let target =
            if std::io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target).with_message(doing);
        let template = format!("{{spinner}} {{msg}}: {{human_pos}} {things}, {{per_sec}}, {{elapsed}}");
        bar.set_style(ProgressStyle::with_template(&template).expect("the template is well-formed"));
        bar.enable_steady_tick(Duration::from_millis(120));
        Progress(bar)
    }

    /// One more has passed.
    pub fn step(&self) {
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
