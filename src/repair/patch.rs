//! A JSON Patch (RFC 6902) from one body to another, in terms of list entries: what went, came and moved.

use serde_json::{Map, Value, json};

/// The longest lists whose entries are matched with each other; longer ones that differ are replaced.
const MATCHED: usize = 2_000;

/// What turns one body into another. `origins` says where the entries of the `list` came from.
pub(super) fn between(before: &Value, after: &Value, list: &str, origins: &[Option<u32>]) -> Vec<Value> {
    let mut patch = Patch::default();
    let (Some(old), Some(new)) = (before.as_object(), after.as_object()) else { return Vec::new() };
    patch.object("", old, new, &|name| if name == list { Some(origins) } else { None });
    patch.operations
}

#[derive(Default)]
struct Patch {
    operations: Vec<Value>,
}

impl Patch {
    fn value(&mut self, path: &str, old: &Value, new: &Value) {
        match (old, new) {
            _ if old == new => {}
            (Value::Object(old), Value::Object(new)) => self.object(path, old, new, &|_| None),
            (Value::Array(old), Value::Array(new)) => match matched(old, new) {
                Some(origins) => self.array(path, old, new, &origins),
                None => self.replace(path, &Value::Array(new.clone())),
            },
            _ => self.replace(path, new),
        }
    }

    fn replace(&mut self, path: &str, value: &Value) {
        self.operations.push(json!({"op": "replace", "path": path, "value": value}));
    }

    fn object<'o>(
        &mut self,
        path: &str,
        old: &Map<String, Value>,
        new: &Map<String, Value>,
        origins: &dyn Fn(&str) -> Option<&'o [Option<u32>]>,
    ) {
        let at = |name: &str| format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
        for (name, value) in old {
            match (value, new.get(name), origins(name)) {
                (_, None, _) => self.operations.push(json!({"op": "remove", "path": at(name)})),
                (Value::Array(old), Some(Value::Array(new)), Some(origins)) => self.array(&at(name), old, new, origins),
                (_, Some(new), _) => self.value(&at(name), value, new),
            }
        }
        for (name, value) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
            self.operations.push(json!({"op": "add", "path": at(name), "value": value}));
        }
    }

    /// Turns a list into another whose entries come from those of the old one, each at most once.
    fn array(&mut self, path: &str, old: &[Value], new: &[Value], origins: &[Option<u32>]) {
        let mut kept = vec![false; old.len()];
        origins.iter().flatten().for_each(|origin| kept[*origin as usize] = true);
        for at in (0..old.len()).rev().filter(|at| !kept[*at]) {
            self.operations.push(json!({"op": "remove", "path": format!("{path}/{at}")}));
        }
        let mut line: Vec<Option<u32>> = (0..old.len() as u32).filter(|at| kept[*at as usize]).map(Some).collect();
        let stays = in_order(origins);
        // Entries before `at` are as they should be, but for those that are moved further down when their turn comes.
        let mut at = 0;
        for (origin, value) in origins.iter().zip(new) {
            match origin {
                None => {
                    self.operations.push(json!({"op": "add", "path": format!("{path}/{at}"), "value": value}));
                    line.insert(at, None);
                }
                Some(origin) if stays[*origin as usize] => {
                    while line[at] != Some(*origin) {
                        at += 1;
                    }
                }
                Some(origin) => {
                    let from = line.iter().position(|entry| *entry == Some(*origin)).unwrap_or(at);
                    let to = if from < at { at - 1 } else { at };
                    line.remove(from);
                    line.insert(to, Some(*origin));
                    at = to;
                    if from != to {
                        let (from, path) = (format!("{path}/{from}"), format!("{path}/{to}"));
                        self.operations.push(json!({"op": "move", "from": from, "path": path}));
                    }
                }
            }
            at += 1;
        }
        for (at, (origin, value)) in origins.iter().zip(new).enumerate() {
            if let Some(origin) = origin {
                self.value(&format!("{path}/{at}"), &old[*origin as usize], value);
            }
        }
    }
}

/// Which old entries keep their order: those of a longest ascending run of origins.
pub(super) fn in_order(origins: &[Option<u32>]) -> Vec<bool> {
    let known: Vec<u32> = origins.iter().flatten().copied().collect();
    let mut before: Vec<Option<usize>> = vec![None; known.len()];
    // By length: the entry that ends the run of that length whose end is smallest.
    let mut ends: Vec<usize> = Vec::new();
    for (at, origin) in known.iter().enumerate() {
        let length = ends.partition_point(|end| known[*end] < *origin);
        before[at] = length.checked_sub(1).map(|shorter| ends[shorter]);
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut stays = vec![false; known.iter().max().map_or(0, |most| *most as usize + 1)];
    let mut next = ends.last().copied();
    while let Some(at) = next {
        stays[known[at] as usize] = true;
        next = before[at];
    }
    stays
}

/// Where the entries of a list came from in another: equal ones in order, then equal ones elsewhere, then those that were
/// changed in their place.
fn matched(old: &[Value], new: &[Value]) -> Option<Vec<Option<u32>>> {
    if old.len().max(new.len()) > MATCHED {
        return None;
    }
    let mut origins = vec![None; new.len()];
    let mut gaps = gaps(old, new, &mut origins);
    let mut gone: Vec<u32> = gaps.iter().flat_map(|gap| gap.gone.iter().copied()).collect();
    for to in gaps.iter_mut().flat_map(|gap| &gap.came) {
        if let Some(at) = gone.iter().position(|from| old[*from as usize] == new[*to]) {
            origins[*to] = Some(gone.remove(at));
        }
    }
    for gap in &mut gaps {
        gap.came.retain(|to| origins[*to].is_none());
        gap.gone.retain(|from| gone.contains(from));
        let mut rest = gap.gone.iter();
        for to in &gap.came {
            let mut left = rest.clone();
            if let Some(from) = left.find(|from| is_alike(&old[**from as usize], &new[*to])) {
                origins[*to] = Some(*from);
                rest = left;
            }
        }
    }
    Some(origins)
}

/// Whether two entries are of one kind: one type, and some member that both have.
fn is_alike(old: &Value, new: &Value) -> bool {
    let (Some(old), Some(new)) = (old.as_object(), new.as_object()) else { return false };
    old.get("type") == new.get("type") && old.keys().any(|name| new.contains_key(name))
}

/// Entries between two that both lists have.
#[derive(Default)]
struct Gap {
    gone: Vec<u32>,
    came: Vec<usize>,
}

/// Notes where the entries of a longest common run came from; the gaps between those.
fn gaps(old: &[Value], new: &[Value], origins: &mut [Option<u32>]) -> Vec<Gap> {
    let (n, m) = (old.len(), new.len());
    let mut common = vec![vec![0_u32; m + 1]; n + 1];
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            common[i][j] =
                if old[i] == new[j] { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
        }
    }
    let (mut i, mut j) = (0, 0);
    let (mut gaps, mut gap) = (Vec::new(), Gap::default());
    while i < n || j < m {
        if i < n && j < m && old[i] == new[j] {
            gaps.push(std::mem::take(&mut gap));
            origins[j] = Some(i as u32);
            (i, j) = (i + 1, j + 1);
        } else if j == m || (i < n && common[i + 1][j] >= common[i][j + 1]) {
            gap.gone.push(i as u32);
            i += 1;
        } else {
            gap.came.push(j);
            j += 1;
        }
    }
    gaps.push(gap);
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The operations from one body to another, as `op from path`.
    #[track_caller]
    fn check(before: &Value, after: &Value, origins: &[Option<u32>], expected: &[&str]) {
        let patch = between(before, after, "messages", origins);
        let word = |operation: &Value, name: &str| operation[name].as_str().unwrap_or_default().to_owned();
        let told = |operation: &Value| ["op", "from", "path"].map(|name| word(operation, name)).join(" ");
        assert_eq!(patch.iter().map(told).collect::<Vec<_>>(), expected);
        let mut body = before.clone();
        let patch: json_patch::Patch = serde_json::from_value(patch.into()).unwrap();
        json_patch::patch(&mut body, &patch).unwrap();
        assert_eq!(&body, after);
    }

    fn list(entries: &[&str]) -> Value {
        json!({"messages": entries})
    }

    #[test]
    fn a_list_is_patched_in_few_operations() {
        check(&list(&["a", "b", "c"]), &list(&["b", "c"]), &[Some(1), Some(2)], &["remove  /messages/0"]);
        check(&list(&["a", "b"]), &list(&["a", "x", "b"]), &[Some(0), None, Some(1)], &["add  /messages/1"]);
        let moved = &["move /messages/0 /messages/2"];
        check(&list(&["a", "b", "c"]), &list(&["b", "c", "a"]), &[Some(1), Some(2), Some(0)], moved);
        let all = &["remove  /messages/3", "add  /messages/0", "move /messages/3 /messages/1", "replace  /messages/2"];
        check(&list(&["a", "b", "c", "d"]), &list(&["x", "c", "A", "b"]), &[None, Some(2), Some(0), Some(1)], all);
    }

    #[test]
    fn members_are_added_removed_and_escaped() {
        let (before, after) = (json!({"a/b": 1, "c~d": {"e": [1, 2]}}), json!({"c~d": {"e": [2, 1]}, "f": null}));
        check(&before, &after, &[], &["remove  /a~1b", "move /c~0d/e/1 /c~0d/e/0", "add  /f"]);
    }
}
