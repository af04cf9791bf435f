//! Findings for programs: one document, one request a line.

use super::{Judged, Summary, Tell};

/// Every request with its verdict and its findings.
#[derive(Default)]
pub(super) struct Json {
    has_begun: bool,
}

impl Tell for Json {
    fn tell(&mut self, judged: &Judged) -> String {
        let before = if self.has_begun { ",\n" } else { "{\"schema_version\":1,\"requests\":[\n" };
        self.has_begun = true;
        format!("{before}{}", judged.judgement.to_json_at(judged.place))
    }

    fn end(&mut self, _: &Summary) -> String {
        "\n]}\n".to_owned()
    }
}
