//! Findings for programs: one document, one request a line.

use serde_json::Value;

use super::{Judged, Summary, Tell};

/// Every request with its verdict and its findings.
pub(super) struct Json {
    has_begun: bool,
    /// Each request has its repair beside them.
    repairs: bool,
}

impl Json {
    pub fn new(repairs: bool) -> Json {
        Json { has_begun: false, repairs }
    }
}

impl Tell for Json {
    fn tell(&mut self, judged: &Judged) -> String {
        let before = if self.has_begun { ",\n" } else { "{\"schema_version\":1,\"requests\":[\n" };
        self.has_begun = true;
        let mut told = judged.judgement.to_json_at(judged.place);
        if self.repairs {
            told["repair"] = judged.mended.map_or(Value::Null, |mended| mended.repair.to_json(mended.request));
        }
        format!("{before}{told}")
    }

    fn end(&mut self, _: &Summary) -> String {
        "\n]}\n".to_owned()
    }
}
