//! The documentation of a rule, which is written in a little Markdown, as paragraphs for a template.

/// A piece of a documentation.
pub enum Paragraph {
    Heading(String),
    Text(Inline),
    Code(String),
    Items(Vec<Inline>),
}

/// A line of text in pieces, each with whether it is code.
pub type Inline = Vec<(bool, String)>;

/// Headings, code, lists and paragraphs of a documentation, without its title; anything else is a paragraph.
pub fn paragraphs(docs: &str) -> Vec<Paragraph> {
    let mut paragraphs = Vec::new();
    let mut fences = docs.split("```");
    while let Some(prose) = fences.next() {
        paragraphs.extend(prose.split("\n\n").map(str::trim).filter(|piece| !piece.is_empty()).flat_map(pieces));
        if let Some(code) = fences.next() {
            let code = code.split_once('\n').map_or(code, |(_, code)| code);
            paragraphs.push(Paragraph::Code(code.trim_end().to_owned()));
        }
    }
    paragraphs
}

fn pieces(piece: &str) -> Vec<Paragraph> {
    if piece.starts_with('#') {
        let (heading, rest) = piece.split_once('\n').unwrap_or((piece, ""));
        let title = heading.strip_prefix("# ").is_none();
        let heading = heading.trim_start_matches('#').trim().to_owned();
        let mut all: Vec<Paragraph> = title.then_some(Paragraph::Heading(heading)).into_iter().collect();
        all.extend(Some(rest.trim()).filter(|rest| !rest.is_empty()).map(pieces).unwrap_or_default());
        return all;
    }
    if piece.starts_with("- ") || piece.starts_with("* ") {
        return vec![Paragraph::Items(items(piece).iter().map(|item| inline(item)).collect())];
    }
    vec![Paragraph::Text(inline(&piece.lines().map(str::trim).collect::<Vec<_>>().join(" ")))]
}

/// The items of a list; a line without a mark belongs to the item before.
fn items(piece: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in piece.lines() {
        match (line.strip_prefix("- ").or(line.strip_prefix("* ")), items.last_mut()) {
            (None, Some(item)) => *item = format!("{item} {}", line.trim()),
            (marked, _) => items.push(marked.unwrap_or(line).trim().to_owned()),
        }
    }
    items
}

fn inline(text: &str) -> Inline {
    let pieces = text.split('`').enumerate().map(|(at, piece)| (at % 2 == 1, piece.to_owned()));
    pieces.filter(|(_, piece)| !piece.is_empty()).collect()
}
