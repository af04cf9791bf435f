//! Pictures of figures: plain values in, one SVG element out.
//!
//! A picture carries its own title and description and no font, script or style: what follows the reader's colour
//! scheme is a class or `currentColor`. Coordinates are whole numbers, so equal values give equal bytes. A picture of
//! nothing is a sentence, never an empty frame.

mod canvas;
mod cividis;
pub mod distribution;
pub mod heat_map;
pub mod strip;

/// What every picture says about itself.
#[derive(Clone, Copy, Debug)]
pub struct Caption<'a> {
    /// Unique on its page; the ids inside the picture begin with it.
    pub id: &'a str,
    /// A heading for those who cannot see it.
    pub title: &'a str,
    /// What it shows, in a sentence or two.
    pub about: &'a str,
}

impl Caption<'_> {
    /// An SVG element of that size around what was drawn.
    fn svg(&self, (width, height): (u32, u32), drawn: &str) -> String {
        let Caption { id, .. } = self;
        let (title, about) = (escaped(self.title), escaped(self.about));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"{id}\" role=\"img\" aria-labelledby=\"{id}-title {id}-about\" \
             width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
             <title id=\"{id}-title\">{title}</title>\n<desc id=\"{id}-about\">{about}</desc>\n{drawn}</svg>\n"
        )
    }

    /// What stands in place of a picture that has nothing to show.
    fn nothing(&self, because: &str) -> String {
        format!("<p class=\"empty\" id=\"{}\">{}</p>\n", self.id, escaped(because))
    }
}

/// Text as it may stand in markup, between tags and in quoted attributes.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' => out.push(' '),
            control if control.is_control() => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}
