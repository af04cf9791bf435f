//! A drawing area over a string, in plotters, whose colours are taken from the page.
//!
//! plotters knows colours only; the few below stand for classes and are exchanged for them once a picture is drawn.

use plotters::coord::Shift;
use plotters::prelude::{
    Color, DrawingArea, IntoDrawingArea, IntoFont, PathElement, Polygon, RGBColor, Rectangle, SVGBackend, Text,
    TextStyle,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::Caption;

/// The colour of text: `currentColor`.
pub const INK: RGBColor = RGBColor(1, 2, 3);

/// The colour of secondary text and of lines that only guide the eye: class `quiet`.
pub const QUIET: RGBColor = RGBColor(1, 2, 4);

/// How many series can be told apart, by colour, dash and marker.
pub const SERIES: usize = 6;

/// The colour of a series: class `series-N`, which also gives its dashes.
pub fn series(number: usize) -> RGBColor {
    RGBColor(1, 3, (number % SERIES) as u8)
}

/// Where a text stands relative to its point.
#[derive(Clone, Copy)]
pub enum Align {
    Start,
    Middle,
    End,
}

/// Somewhere to draw; positions are pixels from the upper left corner.
pub struct Canvas<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
}

/// Draws a picture of that size.
pub fn picture(caption: &Caption, size: (u32, u32), draw: impl FnOnce(&Canvas)) -> String {
    let mut drawn = String::new();
    {
        let canvas = Canvas { area: SVGBackend::with_string(&mut drawn, size).into_drawing_area() };
        draw(&canvas);
        canvas.area.present().expect(INFALLIBLE);
    }
    let inside = drawn.split_once(">\n").map_or("", |(_, rest)| rest);
    let inside = inside.trim_end().trim_end_matches("</svg>");
    caption.svg(size, &with_classes(inside))
}

const INFALLIBLE: &str = "drawing into a string cannot fail";

impl Canvas<'_> {
    /// A filled rectangle.
    pub fn fill(&self, from: (i32, i32), to: (i32, i32), colour: RGBColor) {
        self.area.draw(&Rectangle::new([from, to], colour.filled())).expect(INFALLIBLE);
    }

    /// The outline of a rectangle.
    pub fn outline(&self, from: (i32, i32), to: (i32, i32), colour: RGBColor) {
        self.area.draw(&Rectangle::new([from, to], colour.stroke_width(1))).expect(INFALLIBLE);
    }

    /// A line through points.
    pub fn line(&self, points: Vec<(i32, i32)>, colour: RGBColor, width: u32) {
        self.area.draw(&PathElement::new(points, colour.stroke_width(width))).expect(INFALLIBLE);
    }

    /// A line of text, centred on its point vertically.
    pub fn text(&self, text: &str, at: (i32, i32), align: Align, size: i32, colour: RGBColor) {
        let horizontal = match align {
            Align::Start => HPos::Left,
            Align::Middle => HPos::Center,
            Align::End => HPos::Right,
        };
        let style = TextStyle::from(("sans-serif", size).into_font()).pos(Pos::new(horizontal, VPos::Center));
        self.area.draw(&Text::new(text.to_owned(), at, style.color(&colour))).expect(INFALLIBLE);
    }

    /// The marker of a series: a square turned or not, upright or wide, so that shape tells what colour tells.
    pub fn marker(&self, number: usize, (x, y): (i32, i32)) {
        let corners: &[(i32, i32)] = match number % SERIES {
            0 => &[(-5, -5), (5, -5), (5, 5), (-5, 5)],
            1 => &[(0, -7), (7, 0), (0, 7), (-7, 0)],
            2 => &[(0, -7), (6, 5), (-6, 5)],
            3 => &[(0, 7), (6, -5), (-6, -5)],
            4 => &[(-3, -7), (3, -7), (3, 7), (-3, 7)],
            _ => &[(-7, -3), (7, -3), (7, 3), (-7, 3)],
        };
        let points: Vec<(i32, i32)> = corners.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
        let polygon = Polygon::new(points, series(number).filled());
        self.area.draw(&polygon).expect(INFALLIBLE);
    }
}

/// Exchanges the stand-in colours for classes.
fn with_classes(drawn: &str) -> String {
    let mut out = drawn.replace(&attribute("fill", INK), "fill=\"currentColor\"");
    out = out.replace(&attribute("stroke", INK), "stroke=\"currentColor\"");
    out = out.replace(&attribute("fill", QUIET), "class=\"quiet-fill\"");
    out = out.replace(&attribute("stroke", QUIET), "class=\"quiet-line\"");
    for number in 0..SERIES {
        out = out.replace(&attribute("fill", series(number)), &format!("class=\"series-{number} fill\""));
        out = out.replace(&attribute("stroke", series(number)), &format!("class=\"series-{number} line\""));
    }
    out
}

fn attribute(name: &str, RGBColor(red, green, blue): RGBColor) -> String {
    format!("{name}=\"#{red:02X}{green:02X}{blue:02X}\"")
}
