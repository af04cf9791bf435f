//! A session made ready to be played by many cells.

use std::collections::BTreeMap;

use crate::baseline;
use crate::catalog;
use crate::model::Tokens;
use crate::rules::Verdict;
use crate::transcript::Transcript;

use super::columns::Columns;

/// A transcript with all that its cells share.
#[derive(Debug)]
pub struct Subject {
    pub transcript: Transcript,
    /// The verdict on each call's full prompt.
    pub verdicts: Vec<Verdict>,
    /// The window of the model that the session names, if the catalog knows it.
    pub model_window: Option<u64>,
    /// The columns under each cap on tool results that some cell wants.
    columns: BTreeMap<Option<Tokens>, Columns>,
}

impl Subject {
    /// The subject of a transcript, ready for cells that cap results at one of `caps`.
    pub fn new(transcript: Transcript, caps: &[Option<Tokens>]) -> Subject {
        let verdicts = baseline::verdicts(&transcript);
        let columns = caps.iter().map(|cap| (*cap, Columns::new(&transcript, &verdicts, *cap))).collect();
        let model_window = transcript.model.as_deref().and_then(catalog::window);
        Subject { transcript, verdicts, model_window, columns }
    }

    /// The columns under a cap.
    pub fn columns(&self, cap: Option<Tokens>) -> &Columns {
        self.columns.get(&cap).expect("a subject is made for the caps of its players")
    }
}
