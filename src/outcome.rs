//! What a cell did: every counter, declared once.
//!
//! A line of [`counters!`] is all that a counter needs: its name, its unit and what it counts. Merging, the columns of
//! CSV and JSON, storage in Postgres and the help texts follow from it. An [`Outcome`] is what one cell did to one
//! session, a [`Tally`] what it did to many; both hold integers only and merge by addition, in any order. Counters are
//! stored by name, so runs of other versions stay readable.

use crate::stats::{Interval, Sketch};

/// What a counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedIn {
    Sessions,
    Calls,
    Compactions,
    Messages,
    Tokens,
}

impl CountedIn {
    /// The word used in JSON and in help texts.
    pub fn as_str(self) -> &'static str {
        match self {
            CountedIn::Sessions => "sessions",
            CountedIn::Calls => "calls",
            CountedIn::Compactions => "compactions",
            CountedIn::Messages => "messages",
            CountedIn::Tokens => "tokens",
        }
    }
}

/// A declared counter.
#[derive(Debug)]
pub struct Declared {
    pub name: &'static str,
    pub unit: CountedIn,
    /// What it counts.
    pub about: &'static str,
}

/// Declares the counters: those of an outcome, and those that count sessions by their outcome.
macro_rules! counters {
    (
        outcome { $($name:ident: $unit:ident, $about:literal;)* }
        sessions { $($session:ident: $holds:expr, $of:literal;)* }
    ) => {
        /// What a cell did to one session.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Outcome {
            $(#[doc = $about] pub $name: u64,)*
            /// The first call that is rejected for what the policy did.
            pub first_bad_call: Option<u32>,
            /// The first call whose prompt differs from the log: exact before it, conditional on the logged
            /// continuation after.
            pub diverged_at: Option<u32>,
        }

        impl Outcome {
            /// Every counter.
            pub const COUNTERS: &[Declared] =
                &[$(Declared { name: stringify!($name), unit: CountedIn::$unit, about: $about }),*];

            /// The counters, in the order of [`Outcome::COUNTERS`].
            pub fn counters(&self) -> [u64; Outcome::COUNTERS.len()] {
                [$(self.$name),*]
            }

            /// The outcome whose counters have these values by name; one that has none is 0.
            pub fn of_named(value: impl Fn(&str) -> Option<u64>) -> Outcome {
                let named = |name: &str| value(name).unwrap_or(0);
                Outcome { $($name: named(stringify!($name)),)* ..Outcome::default() }
            }
        }

        /// What one cell did to many sessions.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Tally {
            $(#[doc = $of] pub $session: u64,)*
            $(#[doc = $about] pub $name: u64,)*
            /// `freed / deficit` of the compactions that reached their target.
            pub overshoot: Sketch,
            /// The intervals of the ratios of sums by the ids of their metrics, once all sessions are in.
            pub intervals: Vec<(&'static str, Interval)>,
        }

        impl Tally {
            /// Every counter.
            pub const COUNTERS: &[Declared] = &[
                $(Declared { name: stringify!($session), unit: CountedIn::Sessions, about: $of },)*
                $(Declared { name: stringify!($name), unit: CountedIn::$unit, about: $about },)*
            ];

            /// The counters, in the order of [`Tally::COUNTERS`].
            pub fn counters(&self) -> [u64; Tally::COUNTERS.len()] {
                [$(self.$session,)* $(self.$name,)*]
            }

            /// The tally whose counters have these values by name; one that has none is 0.
            pub fn of_named(value: impl Fn(&str) -> Option<u64>) -> Tally {
                let named = |name: &str| value(name).unwrap_or(0);
                Tally {
                    $($session: named(stringify!($session)),)*
                    $($name: named(stringify!($name)),)*
                    ..Tally::default()
                }
            }

            /// Adds the outcome of one session; its cuts come through [`Tally::cut`].
            pub fn add(&mut self, outcome: &Outcome) {
                $(let holds: fn(&Outcome) -> bool = $holds; self.$session += u64::from(holds(outcome));)*
                $(self.$name += outcome.$name;)*
            }

            /// Adds all that another tally counted; intervals do not add up and are gone.
            pub fn merge(&mut self, other: &Tally) {
                $(self.$session += other.$session;)*
                $(self.$name += other.$name;)*
                self.overshoot.merge(&other.overshoot);
                self.intervals.clear();
            }
        }
    };
}

counters! {
    outcome {
        calls: Calls, "calls of the sessions";
        compactions: Compactions, "times that the policy compacted";
        bad_cuts: Compactions, "compactions whose prompt is rejected although the uncompacted one is accepted";
        calls_400: Calls, "calls that a structural rule rejects although the uncompacted prompt is accepted";
        depends_calls: Calls,
            "calls whose verdict depends on the target or the model although the uncompacted prompt is accepted";
        baseline_invalid_calls: Calls, "calls that a structural rule rejects just as they were logged";
        target_missed: Compactions, "compactions that could not reach their target";
        over_window: Calls, "calls above the window, output reserve included, after whatever the policy did";
        freed: Tokens, "size before less size after, over all compactions";
        deficit: Tokens, "size before less target, over all compactions";
        freed_reached: Tokens, "tokens freed by the compactions that reached their target";
        deficit_reached: Tokens, "deficit of the compactions that reached their target";
        tokens_before: Tokens, "sizes of all prompts before compaction";
        tokens_after: Tokens, "sizes of all prompts as sent";
        prefix_tokens: Tokens, "tokens that repeat the beginning of the prompt before";
        evicted_messages: Messages, "messages that left prompts";
        truncated_tokens: Tokens, "tokens of results that were capped where they entered";
    }
    sessions {
        sessions: |_| true, "sessions replayed";
        sessions_compacted: |outcome| outcome.compactions > 0, "sessions with a compaction";
        sessions_400: |outcome| outcome.calls_400 > 0, "sessions with a call that is rejected for what the policy did";
        sessions_over_window: |outcome| outcome.over_window > 0, "sessions with a call above the window";
        sessions_exact: |outcome| outcome.diverged_at.is_none(), "sessions in which the policy changed nothing";
    }
}

/// One simulated compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    pub call: u32,
    pub before: u64,
    pub deficit: u64,
    pub freed: u64,
    pub evicted_messages: u32,
    pub evicted_exchanges: u32,
    /// The first message that a policy may remove and that is still there, as an index of the transcript; 0 where there
    /// is none.
    pub kept_from: u32,
    pub reached: bool,
    /// The rule that makes its prompt be rejected, and the message of the transcript where it does.
    pub broken: Option<(&'static str, u32)>,
}

/// What one cell did to a session, where it compacted or broke.
#[derive(Debug, PartialEq, Eq)]
pub struct PlayedCell {
    /// The number of the cell.
    pub cell: usize,
    pub outcome: Outcome,
    pub cuts: Vec<Cut>,
}

impl Outcome {
    /// Adds what a cut did, apart from the sizes of the prompts around it.
    pub fn count(&mut self, cut: &Cut) {
        self.compactions += 1;
        self.bad_cuts += u64::from(cut.broken.is_some());
        self.target_missed += u64::from(!cut.reached);
        self.freed += cut.freed;
        self.deficit += cut.deficit;
        if cut.reached {
            self.freed_reached += cut.freed;
            self.deficit_reached += cut.deficit;
        }
        self.evicted_messages += u64::from(cut.evicted_messages);
        if cut.freed > 0 {
            self.diverged_at = Some(self.diverged_at.map_or(cut.call, |first| first.min(cut.call)));
        }
    }
}

impl Tally {
    /// Adds one cut of a session.
    pub fn cut(&mut self, cut: &Cut) {
        if cut.reached {
            self.overshoot.add_ratio(cut.freed, cut.deficit);
        }
    }

    /// The compactions that reached their target.
    pub fn reached(&self) -> u64 {
        self.compactions - self.target_missed
    }

    /// The interval of a metric that is a ratio of sums.
    pub fn interval(&self, metric: &str) -> Option<Interval> {
        self.intervals.iter().find(|(known, _)| *known == metric).map(|(_, interval)| *interval)
    }
}
