//! The sequential colour scale: cividis, which reads the same with and without colour vision.
//!
//! Ten stops of the published table (Nuñez, Anderton and Renslow, 2018), linear in between.

const STOPS: [[u8; 3]; 10] = [
    [0, 34, 78],
    [18, 53, 112],
    [59, 73, 108],
    [87, 93, 109],
    [112, 113, 115],
    [138, 134, 120],
    [165, 156, 116],
    [195, 179, 105],
    [225, 204, 85],
    [254, 232, 56],
];

/// The colour at `share` of the scale, clamped to its ends.
pub fn at(share: f64) -> [u8; 3] {
    let steps = STOPS.len() - 1;
    let position = share.clamp(0.0, 1.0) * steps as f64;
    let below = (position as usize).min(steps - 1);
    let part = position - below as f64;
    std::array::from_fn(|channel| {
        let (from, to) = (f64::from(STOPS[below][channel]), f64::from(STOPS[below + 1][channel]));
        (from + (to - from) * part).round() as u8
    })
}

/// Whether white text reads better on a colour than black text does, by WCAG's contrast ratio.
pub fn wants_white(colour: [u8; 3]) -> bool {
    let luminance = luminance(colour);
    1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05
}

fn luminance(colour: [u8; 3]) -> f64 {
    let [red, green, blue] = colour.map(|channel| {
        let value = f64::from(channel) / 255.0;
        if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_readable_on_every_colour_of_the_scale() {
        for step in 0..=100 {
            let colour = at(f64::from(step) / 100.0);
            let luminance = luminance(colour);
            let contrast = if wants_white(colour) { 1.05 / (luminance + 0.05) } else { (luminance + 0.05) / 0.05 };
            assert!(contrast >= 4.5, "{contrast} at {step} %");
        }
    }
}
