//! A session made ready to be played by many cells.

use std::collections::BTreeMap;

use crate::baseline;
use crate::model::Tokens;
use crate::rules::Verdict;
use crate::transcript::Transcript;

use super::columns::Columns;
use super::seams::Seams;

/// A transcript with all that its cells share.
#[derive(Debug)]
pub struct Subject {
    pub transcript: Transcript,
    /// The verdict on each call as it was logged: what `check` says of the request where the log holds it, else that on
    /// its list as the compactions that the log shows had left it.
    pub logged: Vec<Verdict>,
    /// For each call the verdict that a policy starts from: that on its uncompacted prompt, where the logged request is
    /// one that a policy may be charged for.
    pub verdicts: Vec<Verdict>,
    pub(super) seams: Seams,
    /// The columns under each cap on tool results that some cell wants.
    columns: BTreeMap<Option<Tokens>, Columns>,
}

impl Subject {
    /// The subject of a transcript, ready for cells that cap results at one of `caps`.
    pub fn new(transcript: Transcript, caps: &[Option<Tokens>]) -> Subject {
        let full = baseline::verdicts(&transcript);
        let recorded = baseline::recorded(&transcript, &full);
        let judged = transcript.calls.iter().zip(&recorded);
        let logged: Vec<Verdict> =
            judged.map(|(call, recorded)| call.judged.map_or(*recorded, |judged| judged.verdict)).collect();
        let start = |(logged, full): (&Verdict, Verdict)| if logged.is_chargeable() { full } else { *logged };
        let verdicts: Vec<Verdict> = logged.iter().zip(full).map(start).collect();
        let columns = caps.iter().map(|cap| (*cap, Columns::new(&transcript, &verdicts, *cap))).collect();
        let seams = Seams::of(&transcript);
        Subject { transcript, logged, verdicts, seams, columns }
    }

    /// Whether cuts at the front may be played from prefix sums: all calls have the same terms, and no call is answered
    /// behind a prompt that holds it.
    pub fn is_plain(&self) -> bool {
        self.transcript.terms.len() <= 1 && !self.seams.is_open()
    }

    /// The columns under a cap.
    pub fn columns(&self, cap: Option<Tokens>) -> &Columns {
        self.columns.get(&cap).expect("a subject is made for the caps of its players")
    }
}
