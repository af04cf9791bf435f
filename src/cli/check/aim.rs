//! Whom requests are judged for, and by which rules.

use clap::Args;

use crate::judge::{self, Judgement};
use crate::model::{Api, Call, Conversation, Message, Request};
use crate::profiles::{self, PROFILES, Profile};
use crate::repair::{self, Repair};
use crate::rules::{self, Finding, Target};
use crate::session;
use crate::transcript::{History, Transcript, size};

/// Whom the requests are judged for, and by which rules
#[derive(Debug, Args)]
pub(super) struct Aim {
    /// The language of bare bodies and of Cutpoint's own log, whatever they look like [default: told by content]
    #[arg(long, value_name = "ID", value_parser = api_of, long_help = api_help(), env = "CUTPOINT_API")]
    pub api: Option<Api>,
    /// A server that adds rules to its API (azure, deepseek, vllm, ...) [default: the one that the log names, else the
    /// API's first party]
    #[arg(long, value_parser = profile_of)]
    pub profile: Option<&'static Profile>,
    /// The model to judge for, in the place of the one that a request names
    #[arg(long)]
    model: Option<String>,
    /// Judge by these rules only
    #[arg(long, value_delimiter = ',', value_parser = rule_of)]
    select: Vec<&'static str>,
    /// Leave these rules out
    #[arg(long, value_delimiter = ',', value_parser = rule_of)]
    ignore: Vec<&'static str>,
}

fn api_of(id: &str) -> Result<Api, String> {
    Api::from_id(id).ok_or_else(|| format!("no API is called `{id}`; there are {}", api_ids()))
}

fn api_ids() -> String {
    Api::ALL.iter().map(|api| api.id()).collect::<Vec<_>>().join(", ")
}

fn api_help() -> String {
    format!(
        "The language of bare bodies and of Cutpoint's own log, whatever they look like [default: told by content]\n\n\
         One of {}. It wins over the `api` that a line of Cutpoint's own log states; logs in other formats are in a \
         language of their own, which it does not change.",
        api_ids()
    )
}

fn profile_of(id: &str) -> Result<&'static Profile, String> {
    let known = || PROFILES.iter().map(|profile| profile.id).collect::<Vec<_>>().join(", ");
    profiles::profile(id).ok_or_else(|| format!("no profile is called `{id}`; there are {}", known()))
}

fn rule_of(id: &str) -> Result<&'static str, String> {
    let unknown = || format!("no rule is called `{id}`; `cutpoint explain --list` lists all");
    rules::rule(id).map(|rule| rule.id).ok_or_else(unknown)
}

/// What a target would say of a request, and the messages that it sends.
pub(super) struct Seen<'m> {
    /// The language it is in; a profile may have it judged as another.
    pub api: Api,
    /// The server that it is judged for, if not the first party.
    pub profile: Option<&'static Profile>,
    pub model: Option<String>,
    pub messages: &'m [Message],
    /// The request, where the log has it as one.
    pub request: Option<&'m Request>,
    pub judgement: Judgement,
}

impl Aim {
    /// The judgement on one request, by what its session has shown before.
    pub fn judge<'m>(&self, call: &'m mut Call, history: &mut History) -> Seen<'m> {
        let api = call.request.api;
        let profile = self.profile.or_else(|| profiles::at_host(call.server.as_deref()?, api));
        if let Some(profile) = profile {
            profile.adopt(&mut call.request);
        }
        let target = self.target(call.request.api, profile, call.request.model.as_deref());
        let mut transcript = judge::transcript(&call.request, &target);
        history.follow(call, &mut transcript);
        Seen { api, request: Some(&call.request), ..self.judge_prefix(&transcript, profile, &call.request.messages) }
    }

    /// The judgement on a conversation by its last request, as its compactions left it: a call without result at its end
    /// awaits that result.
    pub fn judge_last(&self, mut conversation: Conversation, told: &mut dyn FnMut(Seen)) {
        let api = conversation.api;
        if let Some(profile) = self.profile {
            conversation.api = profile.judges(api);
        }
        let gaps = std::mem::take(&mut conversation.gaps);
        let last = session::last(session::session(conversation));
        let mut transcript = Transcript::of_session(&last.session, &size::BYTES);
        transcript.mark_gaps(&gaps, &last.inserted);
        told(Seen { api, ..self.judge_prefix(&transcript, self.profile, &last.session.messages) });
    }

    /// The judgement on the first messages of a transcript.
    fn judge_prefix<'m>(
        &self,
        transcript: &Transcript,
        profile: Option<&'static Profile>,
        messages: &'m [Message],
    ) -> Seen<'m> {
        let target = self.target(transcript.api, profile, transcript.model.as_deref());
        let judgement = Judgement::of(transcript, messages.len() as u32, &target, |finding| self.wants(finding));
        let model = target.model.map(str::to_owned);
        Seen { api: transcript.api, profile: target.profile, model, messages, request: None, judgement }
    }

    /// Whom a request in an API's language is judged for, that names this model.
    fn target<'t>(&'t self, api: Api, profile: Option<&'static Profile>, named: Option<&'t str>) -> Target<'t> {
        // A profile speaks for requests in its own language only; the end of the run says for how many it did not.
        let profile = profile.filter(|profile| profile.speaks(api));
        Target::of(api, profile, self.model.as_deref().or(named))
    }

    /// The repair of a request that would be refused.
    pub fn repair(&self, seen: &Seen) -> Option<Repair> {
        let request = seen.request?;
        let target = self.target(request.api, seen.profile, seen.model.as_deref());
        repair::repair(request, &target, &seen.judgement, &|finding| self.wants(finding))
    }

    fn wants(&self, finding: &Finding) -> bool {
        (self.select.is_empty() || self.select.contains(&finding.rule)) && !self.ignore.contains(&finding.rule)
    }
}
