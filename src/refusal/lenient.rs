//! Objects as logs write them: JSON, the representation of a Python dictionary, either cut off at any place.
//!
//! Nothing here fails: what cannot be read ends the value. Every byte is looked at a bounded number of times.

/// The deepest nesting that is read.
const DEEPEST: usize = 48;

/// A value as far as it could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    Object(Vec<(String, Node)>),
    List(Vec<Node>),
    Text(String),
    /// A number, a name such as `null` or `None`, or nothing.
    Word(String),
}

impl Node {
    /// The member of that name of an object.
    pub fn get(&self, name: &str) -> Option<&Node> {
        match self {
            Node::Object(members) => members.iter().find(|(member, _)| member == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text, unless it is none or empty.
    pub fn text(&self) -> Option<&str> {
        match self {
            Node::Text(text) if !text.trim().is_empty() => Some(text),
            _ => None,
        }
    }
}

/// The objects of a text that are in no other one, in order.
pub fn objects(text: &str) -> impl Iterator<Item = Node> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += text[at..].find('{')?;
        let mut reader = Reader { text, at };
        let node = reader.value(0);
        at = reader.at.max(at + 1);
        Some(node)
    })
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.at += letter.len_utf8();
        Some(letter)
    }

    /// Takes the character in, if it stands here behind white space.
    fn takes(&mut self, wanted: char) -> bool {
        while self.peek().is_some_and(char::is_whitespace) {
            self.take();
        }
        let is_here = self.peek() == Some(wanted);
        if is_here {
            self.take();
        }
        is_here
    }

    fn value(&mut self, depth: usize) -> Node {
        if depth > DEEPEST {
            self.at = self.text.len();
            return Node::Word(String::new());
        }
        if self.takes('{') {
            Node::Object(self.members(depth))
        } else if self.takes('[') {
            Node::List(self.entries(depth))
        } else if let Some(text) = self.string() {
            Node::Text(text)
        } else {
            Node::Word(self.word())
        }
    }

    fn members(&mut self, depth: usize) -> Vec<(String, Node)> {
        let mut members = Vec::new();
        while !self.takes('}') {
            let name = self.string().unwrap_or_else(|| self.word());
            if name.is_empty() || !self.takes(':') {
                break;
            }
            members.push((name, self.value(depth + 1)));
            if !self.takes(',') {
                self.takes('}');
                break;
            }
        }
        members
    }

    fn entries(&mut self, depth: usize) -> Vec<Node> {
        let mut entries = Vec::new();
        while !self.takes(']') {
            let from = self.at;
            entries.push(self.value(depth + 1));
            if !self.takes(',') || self.at == from {
                self.takes(']');
                break;
            }
        }
        entries
    }

    /// A quoted text, to its end or that of the input.
    fn string(&mut self) -> Option<String> {
        let quote = if self.takes('"') {
            '"'
        } else if self.takes('\'') {
            '\''
        } else {
            return None;
        };
        let mut text = String::new();
        while let Some(letter) = self.take() {
            match letter {
                '\\' => text.extend(self.escape()),
                _ if letter == quote => break,
                _ => text.push(letter),
            }
        }
        Some(text)
    }

    /// What stands behind a backslash.
    fn escape(&mut self) -> Option<char> {
        Some(match self.take()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'u' => self.code(4),
            'x' => self.code(2),
            other => other,
        })
    }

    fn code(&mut self, digits: usize) -> char {
        let end = (self.at + digits).min(self.text.len());
        let code = self.text.get(self.at..end).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match code {
            Some(code) => {
                self.at = end;
                char::from_u32(code).unwrap_or('\u{fffd}')
            }
            None => '\u{fffd}',
        }
    }

    fn word(&mut self) -> String {
        let rest = &self.text[self.at..];
        let end =
            rest.find(|letter: char| letter.is_whitespace() || ",:]}{[\"'".contains(letter)).unwrap_or(rest.len());
        self.at += end;
        rest[..end].to_owned()
    }
}

/// A text with one level of escapes taken away.
pub fn unescaped(text: &str) -> String {
    let mut reader = Reader { text, at: 0 };
    let mut made = String::with_capacity(text.len());
    while let Some(letter) = reader.take() {
        match letter {
            '\\' => made.extend(reader.escape()),
            _ => made.push(letter),
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, path: &[&str], expected: &str) {
        let node = objects(text).next().unwrap();
        let found = path.iter().try_fold(&node, |node, name| node.get(name));
        assert_eq!(found, Some(&Node::Text(expected.to_owned())), "{text}");
    }

    #[test]
    fn json_and_python_are_read_alike() {
        check(r#"x - {"a": {"b": "it\u0027s \"so\"\n"}} y"#, &["a", "b"], "it's \"so\"\n");
        check(r#"{'a': None, 'n': [1, {}], 'b': "it's"}"#, &["b"], "it's");
        check(r"{'b': 'it\'s'}", &["b"], "it's");
        check("{b: 'bare'}", &["b"], "bare");
    }

    #[test]
    fn what_is_cut_off_is_read_as_far_as_it_goes() {
        check(r#"{"a": [1, {"x": 2}], "b": "messages.2: to"#, &["b"], "messages.2: to");
        let whole = r#"p {"a": [1, "é", {"b": 'c\u00e9\'}], 'd': None}"#;
        for end in (0..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
            let _ = objects(&whole[..end]).count();
            let _ = unescaped(&whole[..end]);
        }
    }

    #[test]
    fn deep_and_broken_texts_end() {
        for odd in ["{", "[", "{\"a\":", "{{[", "{a:[", "\\", "{\"a\":[,"] {
            let _ = objects(&odd.repeat(20_000)).count();
        }
    }
}
