//! Findings for programs.

use serde_json::{Value, json};

use super::Judged;

/// Every request with its verdict and its findings.
pub(super) fn json(judged: &[Judged]) -> String {
    let requests: Vec<Value> = judged.iter().map(request).collect();
    format!("{:#}\n", json!({ "schema_version": 1, "requests": requests }))
}

fn request(judged: &Judged) -> Value {
    let mut fields = json!({ "source": &*judged.place.source, "line": judged.place.line });
    if let (Value::Object(fields), Value::Object(said)) = (&mut fields, judged.judgement.to_json()) {
        fields.extend(said);
    }
    fields
}
