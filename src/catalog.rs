//! What is known of models: their windows and what they take, dated. The data is in `catalog.toml` beside this file.

use std::sync::LazyLock;

use serde::Deserialize;

/// The catalog as it is compiled in.
static CATALOG: LazyLock<Catalog> =
    LazyLock::new(|| toml::from_str(include_str!("catalog.toml")).expect("the catalog is checked by a test"));

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Catalog {
    as_of: String,
    model: Vec<Model>,
}

/// Models whose name begins with `prefix`.
#[derive(Deserialize)]
struct Model {
    prefix: String,
    #[serde(default)]
    window: Option<u64>,
    #[serde(flatten)]
    abilities: Abilities,
}

/// What a model takes, where it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Abilities {
    /// Continues a final assistant message.
    pub prefill: Option<bool>,
    /// Takes system messages in the list of Anthropic Messages.
    pub system_in_list: Option<bool>,
    /// Takes system and developer messages in Chat.
    pub chat_system: Option<bool>,
    /// Accepts a thinking block only behind the messages it was written after.
    pub binds_thinking: Option<bool>,
    /// Thinks by default, and wants its reasoning back.
    pub thinks: Option<bool>,
    /// Its API refuses two user or two assistant messages in a row.
    #[serde(default)]
    pub refuses_successive: bool,
    /// Its chat template wants user and assistant messages to alternate.
    pub alternates: Option<bool>,
    /// Its chat template takes a system message in the first place only.
    pub system_first: Option<bool>,
    /// Its chat template looks for a user message.
    pub needs_user: Option<bool>,
}

/// The day on which the catalog was last checked.
pub fn as_of() -> &'static str {
    &CATALOG.as_of
}

/// The window of a model in tokens: that of the longest prefix that fits its name, a `provider/` in front left out.
pub fn window(model: &str) -> Option<u64> {
    fitting(model).find_map(|entry| entry.window)
}

/// What a model takes; each fact by the longest prefix that states it.
pub fn abilities(model: &str) -> Abilities {
    fitting(model).fold(Abilities::default(), |known, entry| {
        let more = &entry.abilities;
        Abilities {
            prefill: known.prefill.or(more.prefill),
            system_in_list: known.system_in_list.or(more.system_in_list),
            chat_system: known.chat_system.or(more.chat_system),
            binds_thinking: known.binds_thinking.or(more.binds_thinking),
            thinks: known.thinks.or(more.thinks),
            refuses_successive: known.refuses_successive || more.refuses_successive,
            alternates: known.alternates.or(more.alternates),
            system_first: known.system_first.or(more.system_first),
            needs_user: known.needs_user.or(more.needs_user),
        }
    })
}

/// The entries that fit a model's name, the longest prefix first.
fn fitting(model: &str) -> impl Iterator<Item = &'static Model> {
    let name = bare_name(model);
    let fits = |prefix: &str| name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    let mut fitting: Vec<&Model> = CATALOG.model.iter().filter(|entry| fits(&entry.prefix)).collect();
    fitting.sort_by_key(|entry| std::cmp::Reverse(entry.prefix.len()));
    fitting.into_iter()
}

/// A model's name without what gateways and clouds put in front: `provider/`, `us.anthropic.`.
pub fn bare_name(model: &str) -> &str {
    let mut name = model.rsplit('/').next().unwrap_or(model);
    while let Some((cloud, rest)) = name.split_once('.') {
        let is_word = !cloud.is_empty() && cloud.bytes().all(|letter| letter.is_ascii_lowercase());
        if !is_word {
            break;
        }
        name = rest;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_prefix_wins() {
        assert_eq!(window("gpt-4o-2024-08-06"), Some(128_000));
        assert_eq!(window("gpt-4-0613"), Some(8_192));
        assert_eq!(window("openai/gpt-4.1"), Some(1_047_576));
        assert_eq!(window("claude-sonnet-4-5-20250929"), Some(200_000));
        assert_eq!(window("us.anthropic.claude-sonnet-4-20250514-v1:0"), Some(200_000));
        assert_eq!(window("a-model-of-our-own"), None);
    }
}
