//! Pictures: what they say, what they say of nothing, and that nothing in them acts.

use cutpoint::report::chart::distribution::{self, Line};
use cutpoint::report::chart::heat_map::{self, HeatMap, Row, Tile};
use cutpoint::report::chart::strip::{self, Cut, Kind, Message, Strip};
use cutpoint::report::chart::{Caption, escaped};
use cutpoint::stats::Sketch;

const HOSTILE: &str = "<script>alert('1')</script>\u{0}\"&";

fn caption(title: &str) -> Caption<'_> {
    Caption { id: "chart", title, about: "what it shows" }
}

fn tile(value: Option<f64>, figure: &str, detail: &str) -> Tile {
    Tile { value, figure: figure.to_owned(), detail: detail.to_owned() }
}

fn heat_map() -> HeatMap {
    let rows = vec![
        Row {
            name: "drop-oldest-message".to_owned(),
            tiles: vec![tile(Some(0.055), "5.5 %", "3.1 % – 9.58 %"), tile(Some(0.03), "3 %", "1.38 % – 6.39 %")],
        },
        Row {
            name: "drop-oldest-round".to_owned(),
            tiles: vec![tile(Some(0.0), "0 (< 1.83 %)", "n = 200"), tile(None, "n/a", "nothing to measure")],
        },
    ];
    let columns = vec!["70%".to_owned(), "90%".to_owned()];
    HeatMap { across: "policy / trigger".to_owned(), columns, rows, floor: 0.0 }
}

fn line(name: &str, ratios: &[(u64, u64)]) -> Line {
    let mut sketch = Sketch::default();
    ratios.iter().for_each(|(freed, deficit)| sketch.add_ratio(*freed, *deficit));
    Line { name: name.to_owned(), sketch }
}

fn message(kind: Kind, tokens: u64) -> Message {
    Message { kind, tokens, pinned: kind == Kind::System }
}

fn transcript() -> Vec<Message> {
    vec![
        message(Kind::System, 400),
        message(Kind::User, 100),
        message(Kind::Calls, 60),
        message(Kind::Results, 900),
        message(Kind::Assistant, 200),
        message(Kind::User, 80),
    ]
}

fn cut(broken: Option<(&str, u32)>) -> Cut {
    let broken = broken.map(|(rule, at)| (rule.to_owned(), at));
    let inserted = vec![(3, "summary of 40 tokens (user)".to_owned())];
    let (gone, taken, shortened) = (Vec::new(), vec![1..3], vec![(4, 20)]);
    Cut { call: 1, upto: 6, gone, taken, shortened, inserted, before: 1_740, after: 1_580, broken }
}

fn strip_of(messages: &[Message], cuts: &[Cut]) -> String {
    let link = |index: usize| format!("/sessions/1#m-{index}");
    strip::svg(&caption("a session"), &Strip { messages, cuts, counter: "chars4", link: &link })
}

#[track_caller]
fn assert_sound(svg: &str) {
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");
    assert!(svg.contains("role=\"img\"") && svg.contains("<title id=") && svg.contains("<desc id="), "{svg}");
    for tag in ["text", "a", "svg", "title", "defs"] {
        let opened = svg.matches(&format!("<{tag}>")).count() + svg.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, svg.matches(&format!("</{tag}>")).count(), "<{tag}> in {svg}");
    }
    assert!(!svg.contains(" style=") && !svg.contains("<script"), "{svg}");
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
}

#[test]
fn a_picture_of_nothing_is_a_sentence() {
    for picture in [
        heat_map::svg(&caption("t"), &HeatMap::default()),
        distribution::svg(&caption("t"), &[]),
        distribution::svg(&caption("t"), &[line("a", &[])]),
        strip_of(&[], &[]),
    ] {
        assert!(picture.starts_with("<p class=\"empty\"") && !picture.contains("<svg"), "{picture}");
    }
}

#[test]
fn a_heat_map_says_each_value_with_its_interval() {
    let svg = heat_map::svg(&caption("sessions with a 400"), &heat_map());
    assert_sound(&svg);
    for said in ["5.5 %", "3.1 % – 9.58 %", "0 (&lt; 1.83 %)", "n/a", "drop-oldest-round", "90%"] {
        assert!(svg.contains(said), "{said} in {svg}");
    }
    insta::assert_snapshot!(svg);
}

#[test]
fn a_heat_map_of_equal_values_is_drawn() {
    let mut map = heat_map();
    map.rows.iter_mut().flat_map(|row| &mut row.tiles).for_each(|tile| tile.value = Some(0.0));
    assert_sound(&heat_map::svg(&caption("t"), &map));
}

#[test]
fn a_distribution_tells_lines_apart_without_colour() {
    let lines = [line("by message", &[(3, 2), (5, 2), (9, 2)]), line("by exchange", &[(30, 2), (700, 2)])];
    let svg = distribution::svg(&caption("overshoot"), &lines);
    assert_sound(&svg);
    assert!(svg.contains("series-0 line") && svg.contains("series-1 line") && svg.contains("median 2.50×"), "{svg}");
    insta::assert_snapshot!(svg);
}

#[test]
fn lines_over_one_another_share_a_name() {
    let svg = distribution::svg(&caption("t"), &[line("a", &[(3, 2)]), line("b", &[(3, 2)])]);
    assert!(svg.contains("a = b") && !svg.contains("series-1"), "{svg}");
}

#[test]
fn extreme_overshoot_still_fits() {
    assert_sound(&distribution::svg(&caption("t"), &[line("a", &[(u64::from(u32::MAX), 1), (1, 1)])]));
    assert_sound(&distribution::svg(&caption("t"), &[line("a", &[(1, 1)])]));
}

#[test]
fn a_strip_marks_the_violation_with_its_rule() {
    let svg = strip_of(&transcript(), &[cut(Some(("orphan_tool_result", 3)))]);
    assert_sound(&svg);
    assert!(svg.contains("refused: orphan_tool_result at message 3"), "{svg}");
    assert!(svg.contains("/sessions/1#m-3"), "{svg}");
    insta::assert_snapshot!(svg);
}

#[test]
fn a_strip_without_cuts_has_no_red() {
    assert!(!strip_of(&transcript(), &[cut(None)]).contains("violation"));
}

#[test]
fn a_long_strip_stays_small() {
    let messages: Vec<Message> = (0..20_000).map(|at| message(Kind::ALL[at % 6], 7 + at as u64 % 90)).collect();
    let svg = strip_of(&messages, &vec![cut(None); 500]);
    assert_sound(&svg);
    assert!(svg.len() < 150_000, "{} bytes", svg.len());
    assert!(svg.contains("and 488 more cuts"));
}

#[test]
fn hostile_names_stay_text() {
    assert_eq!(escaped(HOSTILE), "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;\u{fffd}&quot;&amp;");
    let mut map = heat_map();
    map.rows[0].name = HOSTILE.to_owned();
    assert_sound(&heat_map::svg(&caption(HOSTILE), &map));
    assert_sound(&distribution::svg(&caption(HOSTILE), &[line(HOSTILE, &[(3, 2)])]));
    assert_sound(&strip_of(&transcript(), &[cut(Some((HOSTILE, 3)))]));
}
