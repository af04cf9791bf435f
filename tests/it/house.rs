//! The architecture as a test: layers, tables and folders, cases and documentation of rules.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cutpoint::model::Api;
use cutpoint::profiles::PROFILES;
use cutpoint::{dialects, rules};

/// Modules that may use files, the environment and tokio, and name what lies above them.
const SHELL: &[&str] = &["source", "store", "ingest", "sweep", "dash", "cli"];

/// Bans stricter than the order: who may not name whom, and why.
const BANS: &[(&str, &[&str], &str)] = &[
    ("policies", &["rules"], "a policy may not ask the judge"),
    ("metrics", &["policies"], "a number must not know who made it"),
    ("dash", &["formats", "replay", "sweep"], "a page shows what the store holds"),
];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The modules that `mod` lines of a file declare, in order.
fn declared(text: &str) -> Vec<String> {
    let name = |line: &str| {
        let line = line.strip_prefix("pub ").or_else(|| line.strip_prefix("pub(crate) ")).unwrap_or(line);
        line.strip_prefix("mod ")?.strip_suffix(';').map(str::to_owned)
    };
    text.lines().filter_map(name).collect()
}

/// The modules that `crate::` paths of a file name, outside comments.
fn named(text: &str) -> BTreeSet<String> {
    let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let mut names = BTreeSet::new();
    for (at, found) in code.match_indices("crate::") {
        let path = &code[at + found.len()..];
        match path.strip_prefix('{') {
            Some(list) => names.extend(heads(list)),
            None => names.extend(word(path)),
        }
    }
    names
}

/// The first word of each member of a braced list.
fn heads(list: &str) -> Vec<String> {
    let (mut depth, mut heads, mut from) = (1, Vec::new(), 0);
    for (at, character) in list.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || (depth == 1 && character == ',') {
            heads.extend(word(list[from..at].trim()));
            from = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    heads
}

fn word(path: &str) -> Option<String> {
    let end = path.find(|character: char| !character.is_alphanumeric() && character != '_').unwrap_or(path.len());
    (end > 0).then(|| path[..end].to_owned())
}

fn module_of(file: &Path) -> String {
    let inside = file.strip_prefix(source()).unwrap();
    inside.components().next().unwrap().as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
}

#[test]
fn a_module_names_only_modules_above_it() {
    let order = declared(&fs::read_to_string(source().join("lib.rs")).unwrap());
    let rank = |name: &str| order.iter().position(|module| module == name);
    for file in files(&source()) {
        let module = module_of(&file);
        let Some(own) = rank(&module) else { continue };
        for name in named(&fs::read_to_string(&file).unwrap()) {
            let is_above = rank(&name).is_none_or(|other| other <= own);
            assert!(is_above, "{}: `{module}` names `{name}`, which lies below it in lib.rs", file.display());
            let ban = BANS.iter().find(|(who, whom, _)| *who == module && whom.contains(&name.as_str()));
            assert!(ban.is_none(), "{}: `{module}` names `{name}`: {}", file.display(), ban.unwrap().2);
        }
    }
}

#[test]
fn the_core_opens_nothing() {
    let order = declared(&fs::read_to_string(source().join("lib.rs")).unwrap());
    for file in files(&source()) {
        let module = module_of(&file);
        if SHELL.contains(&module.as_str()) || !order.contains(&module) {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        for banned in ["std::fs", "std::env", "tokio"] {
            let names = |line: &str| line.contains(banned) && !line.trim_start().starts_with("//");
            assert!(!text.lines().any(names), "{}: the core does not use {banned}", file.display());
        }
    }
}

#[test]
fn plural_folders_hold_what_their_tables_list() {
    for folder in ["dialects", "formats", "rules", "policies", "metrics"] {
        let path = source().join(folder);
        let table = fs::read_to_string(path.join("mod.rs")).unwrap();
        let declared: BTreeSet<String> = declared(&table).into_iter().collect();
        let entries = fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path());
        let on_disk: BTreeSet<String> = entries
            .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
            .filter(|name| name != "mod")
            .collect();
        assert_eq!(declared, on_disk, "`mod` lines of {folder}/mod.rs against its files");
    }
    let rule_files: BTreeSet<String> =
        declared(&fs::read_to_string(source().join("rules/mod.rs")).unwrap()).into_iter().collect();
    assert_eq!(rule_files, rules::RULES.iter().map(|rule| rule.id.to_owned()).collect());
    assert_eq!(dialects::DIALECTS.iter().map(|dialect| dialect.api).collect::<Vec<_>>(), Api::ALL);
    assert!(dialects::DIALECTS.iter().all(|dialect| dialect.id == dialect.api.id()));
}

#[test]
fn every_rule_has_a_firing_and_a_silent_case_in_each_api_it_judges() {
    let cases = super::rules::own_cases();
    for (rule, api, profile) in judged_by() {
        let about = |(_, expect): &&(PathBuf, serde_json::Value)| {
            let is_at = expect["api"] == api.id() && (profile.is_none() || expect["profile"].as_str() == profile);
            is_at && expect["about"].as_array().unwrap().contains(&rule.id.into())
        };
        let fires = |expect: &serde_json::Value| {
            expect["findings"].as_array().unwrap().iter().any(|finding| finding["rule"] == rule.id)
        };
        let of_rule: Vec<_> = cases.iter().filter(about).map(|(_, expect)| fires(expect)).collect();
        let at = format!("{api} {}", profile.unwrap_or_default());
        assert!(of_rule.contains(&true), "{} has no case that fires in {at}", rule.id);
        assert!(of_rule.contains(&false), "{} has no silent case in {at}", rule.id);
    }
}

/// Every rule with every API it judges, first party; and with the first profile that it judges only there.
fn judged_by() -> impl Iterator<Item = (&'static rules::Rule, Api, Option<&'static str>)> {
    let pairs = rules::RULES.iter().flat_map(|rule| Api::ALL.iter().map(move |api| (rule, *api)));
    pairs.filter_map(|(rule, api)| {
        let applies = |profile| (rule.severity)(&rules::Target::of(api, profile, None)).is_some();
        if applies(None) {
            return Some((rule, api, None));
        }
        let profile = PROFILES.iter().find(|profile| profile.speaks(api) && applies(Some(*profile)));
        profile.map(|profile| (rule, api, Some(profile.id)))
    })
}

#[test]
fn every_rule_is_documented_by_the_template() {
    for rule in rules::RULES {
        let text = rule.documentation();
        let titles: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
        let first = format!("# `{}`", rule.id);
        let wanted =
            [&first, "## Finds", "## Provider answers", "## Applies to", "## Example", "## Remedy", "## Sources"];
        assert_eq!(titles, wanted, "{}", rule.id);
        let example = text.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let body: serde_json::Value = serde_json::from_str(example).unwrap();
        let fires = |api: &Api, profile| {
            let judged = super::rules::judge_case(*api, profile, &body);
            judged.is_some_and(|judged| judged.findings.iter().any(|finding| finding.rule == rule.id))
        };
        let targets = || PROFILES.iter().map(Some).chain([None]);
        let any = targets().any(|profile| Api::ALL.iter().any(|api| fires(api, profile)));
        let is_judged = targets().any(|profile| {
            Api::ALL.iter().any(|api| (rule.severity)(&rules::Target::of(*api, profile, None)).is_some())
        });
        let is_observed = text.contains("only observed, never predicted") && !rule.texts.is_empty();
        assert!(any || (!is_judged && is_observed), "the example of {} does not fire", rule.id);
    }
}
