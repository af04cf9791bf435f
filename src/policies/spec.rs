//! A policy with its parameters as one text: `drop-oldest-exchange:keep=2`.
//!
//! Parameters stand behind a colon, with commas between them. A value that holds a comma or a quotation mark stands in
//! quotation marks, in which `\` keeps the next character as it is. A policy that takes a command line takes all that
//! stands behind the colon, as it is.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::params::Value;
use super::{Args, Compactor, Kind, POLICIES, Policy};

/// A policy with its parameters.
#[derive(Clone, Debug)]
pub struct PolicySpec {
    policy: &'static Policy,
    args: Args,
}

impl PolicySpec {
    /// The policy with its defaults.
    pub fn of(policy: &'static Policy) -> PolicySpec {
        PolicySpec { policy, args: Args::defaults(policy.params) }
    }

    /// The policy it names.
    pub fn policy(&self) -> &'static Policy {
        self.policy
    }

    /// The parameters.
    pub fn args(&self) -> &Args {
        &self.args
    }

    /// The policy at work on one session.
    pub fn start(&self) -> Result<Box<dyn Compactor>, String> {
        (self.policy.start)(&self.args)
    }

    /// The policy that a text names, of those in a table.
    pub fn parse_among(text: &str, policies: &'static [Policy]) -> Result<PolicySpec, PolicySpecError> {
        let (id, typed) = text.split_once(':').unwrap_or((text, ""));
        let found = policies.iter().find(|policy| policy.id == id);
        let policy = found.ok_or_else(|| {
            let known = names(policies.iter().map(|policy| policy.id));
            PolicySpecError::Policy { id: id.to_owned(), known }
        })?;
        let mut spec = PolicySpec::of(policy);
        match takes_rest(policy) {
            true => spec.args.0[0].1 = Value::Text(typed.to_owned()),
            false => {
                for assignment in split(typed, ',').map_err(|_| PolicySpecError::Quote { text: text.to_owned() })? {
                    assign(policy, &assignment, &mut spec.args)?;
                }
            }
        }
        (policy.start)(&spec.args).map_err(|why| PolicySpecError::Start { policy: policy.id, why })?;
        Ok(spec)
    }

    /// The policies of a list with commas between them; a piece like `keep=2` is a parameter of the policy before it, and
    /// behind a policy that takes a command line all is that line.
    pub fn parse_list(text: &str) -> Result<Vec<PolicySpec>, PolicySpecError> {
        let mut specs: Vec<String> = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let id = rest.split([':', ',']).next().unwrap_or_default();
            if POLICIES.iter().any(|policy| policy.id == id && takes_rest(policy)) {
                specs.push(rest.to_owned());
                break;
            }
            let end = end_of_piece(rest).map_err(|_| PolicySpecError::Quote { text: rest.to_owned() })?;
            let piece = &rest[..end];
            match specs.last_mut() {
                Some(spec) if piece.contains('=') && !piece.split('=').next().unwrap_or_default().contains(':') => {
                    spec.extend([if spec.contains(':') { "," } else { ":" }, piece]);
                }
                _ => specs.push(piece.to_owned()),
            }
            rest = rest[end..].strip_prefix(',').unwrap_or(&rest[end..]);
        }
        specs.iter().map(|spec| spec.parse()).collect()
    }
}

fn takes_rest(policy: &Policy) -> bool {
    matches!(policy.params, [only] if matches!(only.kind, Kind::Rest))
}

impl PartialEq for PolicySpec {
    fn eq(&self, other: &PolicySpec) -> bool {
        self.policy.id == other.policy.id && self.args == other.args
    }
}

impl Eq for PolicySpec {}

/// The name, then the parameters that differ from their defaults.
impl fmt::Display for PolicySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.policy.id)?;
        let value = |name| self.args.value(name);
        let changed = self.policy.params.iter().filter(|param| *value(param.name) != param.kind.default());
        for (n, param) in changed.enumerate() {
            let separator = if n == 0 { ':' } else { ',' };
            match &param.kind {
                Kind::Rest => write!(f, "{separator}{}", value(param.name))?,
                _ => write!(f, "{separator}{}={}", param.name, quoted(&value(param.name).to_string()))?,
            }
        }
        Ok(())
    }
}

/// Why a text names no policy.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PolicySpecError {
    #[error("unknown policy `{id}`; known are {known}")]
    Policy { id: String, known: String },
    #[error("policy `{policy}` has no parameter `{param}`; it has {known}")]
    Param { policy: &'static str, param: String, known: String },
    #[error("parameter `{param}` of `{policy}` is `{value}`; it must be {wanted}")]
    Value { policy: &'static str, param: &'static str, value: String, wanted: String },
    #[error("`{text}` holds a quotation mark without its partner")]
    Quote { text: String },
    #[error("policy `{policy}` cannot start: {why}")]
    Start { policy: &'static str, why: String },
}

impl FromStr for PolicySpec {
    type Err = PolicySpecError;

    fn from_str(text: &str) -> Result<PolicySpec, PolicySpecError> {
        PolicySpec::parse_among(text, POLICIES)
    }
}

/// Sets one parameter from `name=value`.
fn assign(policy: &'static Policy, assignment: &str, args: &mut Args) -> Result<(), PolicySpecError> {
    let (name, value) = assignment.split_once('=').unwrap_or((assignment, ""));
    let at = policy.params.iter().position(|param| param.name == name).ok_or_else(|| PolicySpecError::Param {
        policy: policy.id,
        param: name.to_owned(),
        known: if policy.params.is_empty() { "none".to_owned() } else { names(policy.params.iter().map(|p| p.name)) },
    })?;
    let param = &policy.params[at];
    let value = value.to_owned();
    args.0[at].1 = param.kind.parse(&value).map_err(|wanted| PolicySpecError::Value {
        policy: policy.id,
        param: param.name,
        value,
        wanted,
    })?;
    Ok(())
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// A value as it stands in a list of parameters.
fn quoted(value: &str) -> String {
    if !value.contains([',', '"', '\\', '/']) {
        return value.to_owned();
    }
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A quotation mark stands alone.
struct Unpaired;

/// Where the piece that a text begins with ends: at a comma outside quotation marks, or at the end.
fn end_of_piece(text: &str) -> Result<usize, Unpaired> {
    let (mut is_quoted, mut letters) = (false, text.char_indices());
    while let Some((at, letter)) = letters.next() {
        match letter {
            ',' if !is_quoted => return Ok(at),
            '"' => is_quoted = !is_quoted,
            '\\' if is_quoted => drop(letters.next()),
            _ => {}
        }
    }
    if is_quoted { Err(Unpaired) } else { Ok(text.len()) }
}

/// The pieces of a text between separators, without their quotation marks; empty ones are left out.
fn split(text: &str, separator: char) -> Result<Vec<String>, Unpaired> {
    let (mut pieces, mut piece, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => is_quoted = !is_quoted,
            '\\' if is_quoted => piece.extend(letters.next()),
            letter if letter == separator && !is_quoted => pieces.push(std::mem::take(&mut piece)),
            letter => piece.push(letter),
        }
    }
    pieces.push(piece);
    pieces.retain(|piece| !piece.is_empty());
    if is_quoted { Err(Unpaired) } else { Ok(pieces) }
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Param};
    use super::*;
    use crate::view::{Budget, Plan, PlanFault, View};

    struct Idle;

    impl Compactor for Idle {
        fn plan(&mut self, _: &View, _: &Budget) -> Result<Plan, PlanFault> {
            Ok(Plan::default())
        }
    }

    static TYPED: &[Policy] = &[
        Policy {
            params: &[
                Param { name: "file", about: "", kind: Kind::Text { default: "" } },
                Param { name: "tools", about: "", kind: Kind::List { default: &["read"] } },
                Param { name: "from", about: "", kind: Kind::Share { default: "50%" } },
            ],
            ..Policy::new("typed", |_| Ok(Box::new(Idle)))
        },
        Policy {
            params: &[Param { name: "command", about: "", kind: Kind::Rest }],
            ..Policy::new("exec", |_| Ok(Box::new(Idle)))
        },
    ];

    #[track_caller]
    fn rejected(text: &str, message: &str) {
        assert_eq!(text.parse::<PolicySpec>().unwrap_err().to_string(), message);
    }

    #[track_caller]
    fn survives(text: &str) -> PolicySpec {
        let spec = PolicySpec::parse_among(text, TYPED).unwrap();
        assert_eq!(spec.to_string(), text);
        spec
    }

    #[test]
    fn every_policy_prints_as_it_is_typed() {
        for policy in POLICIES {
            assert_eq!(policy.id.parse::<PolicySpec>().unwrap().to_string(), policy.id);
        }
        let spec: PolicySpec = "truncate-results:cap=900,keep=2".parse().unwrap();
        assert_eq!(spec.to_string(), "truncate-results:cap=900,keep=2");
        assert_eq!("drop-oldest-round:keep=1".parse::<PolicySpec>().unwrap().to_string(), "drop-oldest-round");
    }

    #[test]
    fn typed_values_survive_their_text() {
        let spec = survives(r#"typed:file="./a, \"b\".toml",tools=grep;ls,from=0.3"#);
        assert_eq!(spec.args().text("file"), "./a, \"b\".toml");
        assert_eq!(spec.args().list("tools"), ["grep", "ls"]);
        assert_eq!(spec.args().share("from").of(10), 3);
        assert_eq!(
            survives("exec:python3 ./my/policy.py --x=1,2").args().text("command"),
            "python3 ./my/policy.py --x=1,2"
        );
        let error = PolicySpec::parse_among("typed:from=70", TYPED).unwrap_err().to_string();
        assert_eq!(error, "parameter `from` of `typed` is `70`; it must be a share of the window like `70%` or `0.7`");
        let error = PolicySpec::parse_among("typed:file=\"a", TYPED).unwrap_err().to_string();
        assert_eq!(error, "`typed:file=\"a` holds a quotation mark without its partner");
    }

    #[test]
    fn a_list_tells_policies_from_their_parameters() {
        let list = PolicySpec::parse_list("none,truncate-results:cap=900,keep=2,drop-oldest-round,keep=3").unwrap();
        let texts: Vec<String> = list.iter().map(PolicySpec::to_string).collect();
        assert_eq!(texts, ["none", "truncate-results:cap=900,keep=2", "drop-oldest-round:keep=3"]);
    }

    #[test]
    fn a_wrong_spec_says_what_is_known() {
        let known = names(POLICIES.iter().map(|policy| policy.id));
        rejected("drop-all", &format!("unknown policy `drop-all`; known are {known}"));
        rejected("none:keep=1", "policy `none` has no parameter `keep`; it has none");
        rejected(
            "drop-oldest-round:keep=0",
            "parameter `keep` of `drop-oldest-round` is `0`; it must be a whole number from 1 to 4294967295",
        );
    }
}
