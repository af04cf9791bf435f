//! How overshoot is distributed: the share of cuts that free at most so many times their deficit, one line a policy.
//!
//! The horizontal axis is logarithmic, because overshoot is a factor. A marker stands at each line's median.

use super::Caption;
use super::canvas::{Align, Canvas, INK, QUIET, SERIES, picture, series};
use crate::report::text::grouped;
use crate::stats::{Sketch, middle};

const WIDTH: i32 = 560;
const PLOT_HEIGHT: i32 = 230;
const LEFT: i32 = 56;
const TOP: i32 = 28;
const LEGEND_LINE: i32 = 26;
/// Ticks closer than this would overlap.
const TICK_GAP: i32 = 48;

/// One line of the picture.
#[derive(Clone, Debug)]
pub struct Line {
    pub name: String,
    pub sketch: Sketch,
}

/// The picture of the distributions.
pub fn svg(caption: &Caption, lines: &[Line]) -> String {
    let lines = distinct(lines);
    let Some(scale) = Scale::of(&lines) else {
        return caption.nothing("No compaction reached its target, so there is no overshoot to show.");
    };
    let height = TOP + PLOT_HEIGHT + 56 + LEGEND_LINE * lines.len() as i32;
    picture(caption, (WIDTH as u32, height as u32), |canvas| {
        draw_axes(canvas, &scale);
        for (number, line) in lines.iter().enumerate() {
            draw_line(canvas, &scale, number, line);
            draw_legend(canvas, number, line, lines.len() > SERIES);
        }
    })
}

/// The lines that show anything; lines over one another become one, under all their names.
fn distinct(lines: &[Line]) -> Vec<Line> {
    let mut distinct: Vec<Line> = Vec::new();
    for line in lines.iter().filter(|line| line.sketch.n() > 0) {
        match distinct.iter_mut().find(|known| known.sketch == line.sketch) {
            Some(known) => known.name = format!("{} = {}", known.name, line.name),
            None => distinct.push(line.clone()),
        }
    }
    distinct
}

/// Where values and shares stand.
struct Scale {
    /// Logarithms of the ends.
    low: f64,
    high: f64,
}

impl Scale {
    /// The scale on which all values have room; `None` without a value.
    fn of(lines: &[Line]) -> Option<Scale> {
        let values = || lines.iter().flat_map(|line| line.sketch.buckets()).map(|(bucket, _)| middle(bucket));
        let least = values().fold(None, |least: Option<f64>, value| Some(least.map_or(value, |l| l.min(value))))?;
        let (low, high) = (least.min(1.0).ln(), values().fold(1.0, f64::max).ln());
        let room = (high - low).max(0.05) * 0.04;
        Some(Scale { low: low - room, high: high.max(low + 0.05) + room })
    }

    fn x(&self, value: f64) -> i32 {
        let width = f64::from(WIDTH - LEFT - 20);
        LEFT + ((value.ln() - self.low) / (self.high - self.low) * width).round() as i32
    }

    fn y(share: f64) -> i32 {
        TOP + (f64::from(PLOT_HEIGHT) * (1.0 - share)).round() as i32
    }

    /// Round values inside the scale, so many that their labels do not touch.
    fn ticks(&self) -> Vec<f64> {
        let (mut ticks, mut last) = (vec![1.0], self.x(1.0));
        let decades = (0..7).map(|exponent| 10f64.powi(exponent));
        for value in decades.flat_map(|decade| [1.0, 1.1, 1.2, 1.5, 2.0, 3.0, 5.0].map(|step| step * decade)) {
            let x = self.x(value);
            if value > 1.0 && value.ln() <= self.high && x - last >= TICK_GAP {
                ticks.push(value);
                last = x;
            }
        }
        ticks
    }
}

fn draw_axes(canvas: &Canvas, scale: &Scale) {
    let (bottom, right) = (Scale::y(0.0), WIDTH - 20);
    for percent in [0, 25, 50, 75, 100] {
        let y = Scale::y(f64::from(percent) / 100.0);
        canvas.line(vec![(LEFT, y), (right, y)], QUIET, 1);
        canvas.text(&format!("{percent} %"), (LEFT - 8, y), Align::End, 14, QUIET);
    }
    for value in scale.ticks() {
        let x = scale.x(value);
        canvas.line(vec![(x, bottom), (x, bottom + 5)], QUIET, 1);
        canvas.text(&format!("{}×", short(value)), (x, bottom + 16), Align::Middle, 14, QUIET);
    }
    let one = scale.x(1.0);
    canvas.line(vec![(one, TOP), (one, bottom)], INK, 1);
    canvas.text("1.0× frees just the deficit", (one, TOP - 14), Align::Start, 14, INK);
    canvas.text("tokens freed / deficit, log scale", (right, bottom + 38), Align::End, 14, QUIET);
}

fn short(value: f64) -> String {
    if value >= 10.0 { grouped(value.round() as u64) } else { format!("{value:.1}").trim_end_matches(".0").to_owned() }
}

fn draw_line(canvas: &Canvas, scale: &Scale, number: usize, line: &Line) {
    let total = line.sketch.n() as f64;
    let mut points: Vec<(i32, i32)> = Vec::new();
    let (mut seen, mut median) = (0, None);
    for (bucket, count) in line.sketch.buckets() {
        let x = scale.x(middle(bucket));
        points.push((x, Scale::y(seen as f64 / total)));
        seen += count;
        points.push((x, Scale::y(seen as f64 / total)));
        if median.is_none() && 2 * seen >= line.sketch.n() {
            median = Some((x, Scale::y(0.5)));
        }
    }
    points.push((WIDTH - 20, Scale::y(1.0)));
    points.dedup();
    canvas.line(points, series(number), 2);
    if let Some(at) = median {
        canvas.marker(number, at);
    }
}

fn draw_legend(canvas: &Canvas, number: usize, line: &Line, is_crowded: bool) {
    let y = Scale::y(0.0) + 62 + LEGEND_LINE * number as i32;
    canvas.line(vec![(LEFT, y), (LEFT + 44, y)], series(number), 2);
    canvas.marker(number, (LEFT + 22, y));
    let median = line.sketch.percentile(50).map_or_else(String::new, |value| format!(" · median {value:.2}×"));
    let number = if is_crowded { format!("{}. ", number + 1) } else { String::new() };
    let text = format!("{number}{}{median} · {} cuts", line.name, grouped(line.sketch.n()));
    canvas.text(&text, (LEFT + 56, y), Align::Start, 15, INK);
}
