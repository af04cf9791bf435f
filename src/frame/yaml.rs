//! YAML to a JSON value: one document, its aliases resolved as long as they do not make it much larger.
//!
//! Plain scalars are what JSON knows: `null`, booleans and JSON's numbers; all others are strings. A `!!binary` scalar is an
//! object with the one member `!!binary`, its base64 text.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use serde_json::{Map, Number, Value};

/// The deepest nesting that is read, as for JSON.
const DEEPEST: usize = 127;

/// The bytes that anchored values and their aliases may take beside the text itself.
const ALIASED: usize = 64 << 20;

/// The value of a YAML text; the error is one line, with its place in the text.
pub fn value(text: &str) -> Result<Value, String> {
    let mut builder = Builder { open: Vec::new(), anchors: HashMap::new(), room: ALIASED, root: None };
    for event in Parser::new_from_str(text) {
        let (event, span) =
            event.map_err(|error| format!("not YAML: line {}: {}", error.marker().line(), error.info()))?;
        builder.take(event).map_err(|reason| format!("line {}: {reason}", span.start.line()))?;
    }
    builder.root.ok_or_else(|| "no YAML value".to_owned())
}

/// A list or an object that is not at its end.
struct Open {
    anchor: usize,
    value: Value,
    /// The name of the member whose value comes next.
    name: Option<String>,
}

struct Builder {
    open: Vec<Open>,
    anchors: HashMap<usize, Value>,
    /// What is left of [`ALIASED`].
    room: usize,
    root: Option<Value>,
}

impl Builder {
    fn take(&mut self, event: Event) -> Result<(), String> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let value = scalar(&text, style, tag.as_deref());
                self.put(anchor, value)
            }
            Event::SequenceStart(anchor, _) => self.begin(anchor, Value::Array(Vec::new())),
            Event::MappingStart(anchor, _) => self.begin(anchor, Value::Object(Map::new())),
            Event::SequenceEnd | Event::MappingEnd => {
                let ended = self.open.pop().ok_or("an end without its beginning")?;
                self.put(ended.anchor, ended.value)
            }
            Event::Alias(anchor) => {
                let value = self.anchors.get(&anchor).ok_or("an alias of what is not at its end")?;
                self.room = self.room.checked_sub(size(value)).ok_or("aliases make the document too large")?;
                let value = value.clone();
                self.put(0, value)
            }
            Event::DocumentStart(_) if self.root.is_some() => Err("a second document: split the file".to_owned()),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, anchor: usize, value: Value) -> Result<(), String> {
        if self.open.len() == DEEPEST {
            return Err(format!("nested deeper than {DEEPEST} levels"));
        }
        self.open.push(Open { anchor, value, name: None });
        Ok(())
    }

    /// Puts a value into what is open.
    fn put(&mut self, anchor: usize, value: Value) -> Result<(), String> {
        if anchor > 0 {
            self.room = self.room.checked_sub(size(&value)).ok_or("anchored values make the document too large")?;
            self.anchors.insert(anchor, value.clone());
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(value);
            return Ok(());
        };
        match (&mut open.value, open.name.take()) {
            (Value::Array(entries), _) => entries.push(value),
            (Value::Object(fields), Some(name)) => {
                fields.insert(name, value);
            }
            (_, _) => open.name = Some(member_name(value)?),
        }
        Ok(())
    }
}

fn member_name(value: Value) -> Result<String, String> {
    match value {
        Value::String(name) => Ok(name),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(value.to_string()),
        Value::Array(_) | Value::Object(_) => Err("a list or an object for a name".to_owned()),
    }
}

/// About how many bytes a value takes.
fn size(value: &Value) -> usize {
    const NODE: usize = 32;
    NODE + match value {
        Value::String(text) => text.len(),
        Value::Array(entries) => entries.iter().map(size).sum(),
        Value::Object(fields) => fields.iter().map(|(name, value)| name.len() + size(value)).sum(),
        _ => 0,
    }
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Value {
    let core = tag.filter(|tag| tag.is_yaml_core_schema()).map(|tag| tag.suffix.as_str());
    match core {
        Some("binary") => {
            let packed: String = text.split_whitespace().collect();
            Value::Object(Map::from_iter([("!!binary".to_owned(), packed.into())]))
        }
        Some("int" | "float" | "bool" | "null") => plain(text),
        None if tag.is_none() && style == ScalarStyle::Plain => plain(text),
        _ => text.into(),
    }
}

fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => serde_json::from_str::<Number>(text).map_or_else(|_| text.into(), Value::Number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = value(text).map_or_else(|reason| reason, |value| value.to_string());
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn scalars_are_what_json_knows() {
        check(
            "a: 1\nb: '1'\nc: ~\nd: 1.50\ne: true\nf: 2026-03-02\n3: x\n",
            r#"{"a":1,"b":"1","c":null,"d":1.50,"e":true,"f":"2026-03-02","3":"x"}"#,
        );
        check(
            "---\n- |-\n  two\n  lines\n- !!binary |\n  a2ls\n  bg==\n- !kiln x\n",
            r#"["two\nlines",{"!!binary":"a2lsbg=="},"x"]"#,
        );
    }

    #[test]
    fn aliases_are_resolved_and_bombs_are_refused() {
        check("a: &x [1]\nb: *x\n", r#"{"a":[1],"b":[1]}"#);
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let before = format!("*a{}, ", level - 1).repeat(9);
            bomb.push_str(&format!("a{level}: &a{level} [{}]\n", before.trim_end_matches(", ")));
        }
        assert!(value(&bomb).unwrap_err().contains("too large"));
        assert!(value("a: &x [*x]\n").unwrap_err().contains("not at its end"));
    }

    #[test]
    fn what_is_no_yaml_is_told_with_its_line() {
        assert!(value("a: [1\nb: 2\n").unwrap_err().starts_with("not YAML: line "));
        assert!(value(&"[".repeat(1000)).is_err());
        assert!(value("a: 1\n---\nb: 2\n").unwrap_err().contains("second document"));
        assert!(value("").is_err());
    }
}
