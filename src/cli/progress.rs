//! A sign of life on stderr while something takes long: a spinner on a terminal, silence elsewhere.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::source::Meter;

/// Counts `things` as they pass, under a heading that says what is done.
pub struct Progress(ProgressBar);

impl Progress {
    /// Starts counting.
    pub fn start(doing: &'static str, things: &str) -> Progress {
        Progress::with_style(doing, style(&format!("{{human_pos}} {things}, {{per_sec}}, {{elapsed}}")))
    }

    /// The same while an input is read: with its bytes, the share that was read, the rate, and the time that is left.
    pub fn of_input(doing: &'static str, things: &str, meter: Arc<Meter>) -> Progress {
        let bytes = move |state: &ProgressState, out: &mut dyn Write| {
            let _ = out.write_str(&bytes(meter.passed(), meter.total(), state.elapsed()));
        };
        let style = style(&format!("{{human_pos}} {things}, {{bytes_read}}, {{elapsed}}"));
        Progress::with_style(doing, style.with_key("bytes_read", bytes))
    }

    fn with_style(doing: &'static str, style: ProgressStyle) -> Progress {
        let target =
            if std::io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target).with_message(doing);
        bar.set_style(style);
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

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(&format!("{{spinner}} {{msg}}: {template}")).expect("the template is well-formed")
}

/// How far reading has come; share and time left only where the whole is known and some of it is left.
fn bytes(passed: u64, total: u64, elapsed: Duration) -> String {
    let rate = passed as f64 / elapsed.as_secs_f64().max(0.001);
    let told = format!("{}/s", HumanBytes(rate as u64));
    if total == 0 || passed > total {
        return format!("{}, {told}", HumanBytes(passed));
    }
    let read = format!("{} of {} ({} %), {told}", HumanBytes(passed), HumanBytes(total), passed * 100 / total);
    if passed == 0 || passed == total {
        return read;
    }
    let left = Duration::from_secs_f64((total - passed) as f64 / rate);
    format!("{read}, {} left", HumanDuration(left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_big_file_shows_bytes_share_rate_and_time_left() {
        let (kib, seconds) = (1 << 10, Duration::from_secs);
        assert_eq!(
            bytes(256 * kib, 1024 * kib, seconds(16)),
            "256.00 KiB of 1.00 MiB (25 %), 16.00 KiB/s, 48 seconds left"
        );
        assert_eq!(bytes(0, kib, seconds(0)), "0 B of 1.00 KiB (0 %), 0 B/s");
        assert_eq!(bytes(kib, kib, seconds(1)), "1.00 KiB of 1.00 KiB (100 %), 1.00 KiB/s");
        assert_eq!(bytes(3 * kib, 0, seconds(3)), "3.00 KiB, 1.00 KiB/s");
        assert_eq!(bytes(3 * kib, kib, seconds(3)), "3.00 KiB, 1.00 KiB/s");
    }
}
