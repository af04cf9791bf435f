//! Parameters of policies: typed, with ranges and defaults.

use std::fmt;

use crate::share::Share;

/// A parameter of a policy.
#[derive(Debug)]
pub struct Param {
    pub name: &'static str,
    pub about: &'static str,
    pub kind: Kind,
}

/// What values a parameter takes, and the one that it has where none is given.
#[derive(Debug)]
pub enum Kind {
    /// A whole number.
    Number {
        default: u32,
        least: u32,
        most: u32,
    },
    /// A share of the window, written like `70%` or `0.7`.
    Share {
        default: &'static str,
    },
    Text {
        default: &'static str,
    },
    /// Texts with `;` between them.
    List {
        default: &'static [&'static str],
    },
    /// All that stands behind the policy's name, as it is: a command line.
    Rest,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    Number(u32),
    Share(Share),
    Text(String),
    List(Vec<String>),
}

impl Kind {
    /// The value that it has where none is given.
    pub fn default(&self) -> Value {
        match self {
            Kind::Number { default, .. } => Value::Number(*default),
            Kind::Share { default } => Value::Share(default.parse().expect("the default of a parameter is a share")),
            Kind::Text { default } => Value::Text((*default).to_owned()),
            Kind::List { default } => Value::List(default.iter().map(|text| (*text).to_owned()).collect()),
            Kind::Rest => Value::Text(String::new()),
        }
    }

    /// The value that a text states, or what it must be.
    pub fn parse(&self, text: &str) -> Result<Value, String> {
        match self {
            Kind::Number { least, most, .. } => {
                let number = text.parse().ok().filter(|number| (*least..=*most).contains(number));
                number.map(Value::Number).ok_or_else(|| format!("a whole number from {least} to {most}"))
            }
            Kind::Share { .. } => {
                let share = text.parse::<Share>().ok().filter(Share::in_range);
                share.map(Value::Share).ok_or_else(|| "a share of the window like `70%` or `0.7`".to_owned())
            }
            Kind::Text { .. } | Kind::Rest => Ok(Value::Text(text.to_owned())),
            Kind::List { .. } if text.is_empty() => Ok(Value::List(Vec::new())),
            Kind::List { .. } => Ok(Value::List(text.split(';').map(str::to_owned).collect())),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => number.fmt(f),
            Value::Share(share) => share.fmt(f),
            Value::Text(text) => f.write_str(text),
            Value::List(texts) => f.write_str(&texts.join(";")),
        }
    }
}

/// The parameters of a policy with their values, in the order in which it declares them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Args(pub(super) Vec<(&'static str, Value)>);

impl Args {
    /// The default of every parameter.
    pub fn defaults(params: &'static [Param]) -> Args {
        Args(params.iter().map(|param| (param.name, param.kind.default())).collect())
    }

    /// The value of a parameter that the policy declares as a number.
    pub fn number(&self, name: &str) -> u32 {
        match self.value(name) {
            Value::Number(number) => *number,
            other => panic!("parameter `{name}` is declared as a number, and is `{other}`"),
        }
    }

    /// The value of a parameter that the policy declares as a share.
    pub fn share(&self, name: &str) -> &Share {
        match self.value(name) {
            Value::Share(share) => share,
            other => panic!("parameter `{name}` is declared as a share, and is `{other}`"),
        }
    }

    /// The value of a parameter that the policy declares as a text, or as the rest of its line.
    pub fn text(&self, name: &str) -> &str {
        match self.value(name) {
            Value::Text(text) => text,
            other => panic!("parameter `{name}` is declared as a text, and is `{other}`"),
        }
    }

    /// The value of a parameter that the policy declares as a list.
    pub fn list(&self, name: &str) -> &[String] {
        match self.value(name) {
            Value::List(texts) => texts,
            other => panic!("parameter `{name}` is declared as a list, and is `{other}`"),
        }
    }

    pub(super) fn value(&self, name: &str) -> &Value {
        let found = self.0.iter().find(|(param, _)| *param == name);
        &found.expect("a policy reads only parameters that it declares").1
    }
}
