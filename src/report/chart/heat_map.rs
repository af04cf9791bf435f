//! A heat map: one tile for each row and column, coloured by its value, with the value and its interval in it.

use plotters::prelude::{BLACK, RGBColor, WHITE};

use super::canvas::{Align, Canvas, INK, QUIET, picture};
use super::{Caption, cividis};

const HEADING: i32 = 34;
const TILE_HEIGHT: i32 = 56;
/// A picture of few columns is about this wide; tiles are as wide as that allows, within bounds.
const WIDTH: i32 = 500;
const TILE_WIDTHS: (i32, i32) = (122, 166);
/// About the width of a character of a row's name.
const LETTER: i32 = 8;
const GAP: i32 = 3;

/// Tiles by row and column.
#[derive(Clone, Debug, Default)]
pub struct HeatMap {
    /// What the columns vary.
    pub across: String,
    pub columns: Vec<String>,
    pub rows: Vec<Row>,
    /// The value at the dark end of the scale; the greatest value is at the bright end.
    pub floor: f64,
}

/// One row of tiles, as many as there are columns.
#[derive(Clone, Debug, Default)]
pub struct Row {
    pub name: String,
    pub tiles: Vec<Tile>,
}

/// One tile; a value that is not known gets no colour.
#[derive(Clone, Debug, Default)]
pub struct Tile {
    pub value: Option<f64>,
    /// The value as people read it.
    pub figure: String,
    /// What stands below it: the interval.
    pub detail: String,
}

/// The picture of a heat map.
pub fn svg(caption: &Caption, map: &HeatMap) -> String {
    if map.rows.is_empty() || map.columns.is_empty() {
        return caption.nothing("There is no cell to show.");
    }
    let layout = Layout::of(map);
    let (columns, rows) = (map.columns.len() as i32, map.rows.len() as i32);
    let size = (layout.left + layout.tile * columns, HEADING + TILE_HEIGHT * rows);
    picture(caption, (size.0 as u32, size.1 as u32), |canvas| draw(canvas, map, &layout))
}

/// Where tiles begin, and how wide they are.
struct Layout {
    left: i32,
    tile: i32,
}

impl Layout {
    fn of(map: &HeatMap) -> Layout {
        let names = map.rows.iter().map(|row| &row.name).chain([&map.across]);
        let left = names.map(|name| name.chars().count() as i32 * LETTER).max().unwrap_or(0);
        let tile = (WIDTH - left) / map.columns.len() as i32;
        Layout { left, tile: tile.clamp(TILE_WIDTHS.0, TILE_WIDTHS.1) }
    }
}

fn draw(canvas: &Canvas, map: &HeatMap, Layout { left, tile: width }: &Layout) {
    canvas.text(&map.across, (left - 12, HEADING / 2), Align::End, 15, QUIET);
    for (column, heading) in (0..).zip(&map.columns) {
        canvas.text(heading, (left + width * column + width / 2, HEADING / 2), Align::Middle, 16, INK);
    }
    let most = map.rows.iter().flat_map(|row| &row.tiles).filter_map(|tile| tile.value).fold(map.floor, f64::max);
    for (line, row) in (0..).zip(&map.rows) {
        let top = HEADING + TILE_HEIGHT * line;
        canvas.text(&row.name, (left - 12, top + TILE_HEIGHT / 2), Align::End, 16, INK);
        for (column, tile) in (0..).zip(&row.tiles) {
            let share = tile.value.map(|value| share(value, map.floor, most));
            draw_tile(canvas, (left + width * column, top), *width, tile, share);
        }
    }
}

fn share(value: f64, floor: f64, most: f64) -> f64 {
    if most > floor { (value - floor) / (most - floor) } else { 0.0 }
}

fn draw_tile(canvas: &Canvas, (left, top): (i32, i32), width: i32, tile: &Tile, share: Option<f64>) {
    let (from, to) = ((left + GAP, top + GAP), (left + width - GAP, top + TILE_HEIGHT - GAP));
    let ink = match share {
        None => {
            canvas.outline(from, to, QUIET);
            INK
        }
        Some(share) => {
            let colour = cividis::at(share);
            canvas.fill(from, to, RGBColor(colour[0], colour[1], colour[2]));
            if cividis::wants_white(colour) { WHITE } else { BLACK }
        }
    };
    let (middle, centre) = (left + width / 2, top + TILE_HEIGHT / 2);
    if tile.detail.is_empty() {
        return canvas.text(&tile.figure, (middle, centre), Align::Middle, 18, ink);
    }
    canvas.text(&tile.figure, (middle, centre - 9), Align::Middle, 18, ink);
    canvas.text(&tile.detail, (middle, centre + 12), Align::Middle, 14, ink);
}
