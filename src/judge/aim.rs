//! Judging what a log holds: the one way from a logged call, or a conversation, to its judgement.
//!
//! Whom a request is judged for is read off the call: the server that the log names, and the model. A model that is not
//! the API's own, at a server that nobody knows, may stand behind any server of its family: it is judged for each, and
//! where these disagree the verdict is `depends` and says for whom.

use crate::model::{Api, Call, Conversation, Judged, Message, Request};
use crate::profiles::{self, Profile};
use crate::rules::{Finding, Target};
use crate::session;
use crate::transcript::{History, Transcript, size};

use super::Judgement;

/// What the caller states of the requests of a log; everything else is read off each call.
#[derive(Clone, Debug, Default)]
pub struct Aim {
    /// The server that they are for, in the place of the one that the log names.
    pub profile: Option<&'static Profile>,
    /// The model that they are for, in the place of the one that a request names.
    pub model: Option<String>,
    /// The rules to judge by; all of them where none is named.
    pub select: Vec<&'static str>,
    /// Rules that are left out.
    pub ignore: Vec<&'static str>,
}

/// A request of a log with its judgement.
pub struct JudgedRequest<'m> {
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
    /// The judgement on a logged call, by what its session has shown before. The request is left in the language that
    /// it is judged in.
    pub fn judge<'m>(&self, call: &'m mut Call, history: &mut History) -> JudgedRequest<'m> {
        let api = call.request.api;
        let candidates = self.candidates(api, call.server.as_deref(), call.request.model.as_deref());
        let mut transcripts: Vec<Transcript> = Vec::new();
        for profile in candidates.iter().rev() {
            call.request.api = judging_api(api, *profile);
            let target = self.target(call.request.api, *profile, call.request.model.as_deref());
            transcripts.push(super::transcript(&call.request, &target));
        }
        transcripts.reverse();
        history.follow(call, &mut transcripts);
        let request = &call.request;
        let judgements = candidates.iter().zip(&transcripts).map(|(profile, transcript)| {
            let target = self.target(transcript.api, *profile, request.model.as_deref());
            Judgement::of(transcript, request.messages.len() as u32, &target, |finding| self.wants(finding))
        });
        JudgedRequest {
            api,
            profile: candidates[0],
            model: self.model.clone().or_else(|| request.model.clone()),
            messages: &request.messages,
            request: Some(request),
            judgement: Judgement::agreed(judgements.collect()),
        }
    }

    /// The verdict on a logged call, which keeps its language.
    pub fn verdict(&self, call: &mut Call, history: &mut History) -> Judged {
        let api = call.request.api;
        let judged = self.judge(call, history).judgement.decided();
        call.request.api = api;
        judged
    }

    /// The judgement on a conversation by its last request, as its compactions left it: a call without result at its end
    /// awaits that result.
    pub fn judge_last(&self, mut conversation: Conversation, told: &mut dyn FnMut(JudgedRequest)) {
        let api = conversation.api;
        let gaps = std::mem::take(&mut conversation.gaps);
        let mut last = session::last(session::session(conversation));
        let call = last.session.calls.first();
        let (server, model) = (call.and_then(|call| call.server.clone()), last.session.model.clone());
        let candidates = self.candidates(api, server.as_deref(), model.as_deref());
        let mut judgements = Vec::new();
        for profile in &candidates {
            last.session.api = judging_api(api, *profile);
            let mut transcript = Transcript::of_session(&last.session, &size::BYTES);
            transcript.mark_gaps(&gaps, &last.inserted);
            let target = self.target(transcript.api, *profile, model.as_deref());
            let upto = last.session.messages.len() as u32;
            judgements.push(Judgement::of(&transcript, upto, &target, |finding| self.wants(finding)));
        }
        told(JudgedRequest {
            api,
            profile: candidates[0],
            model: self.model.clone().or(model),
            messages: &last.session.messages,
            request: None,
            judgement: Judgement::agreed(judgements),
        });
    }

    /// The servers that a request may be for; the first party is none.
    fn candidates(&self, api: Api, server: Option<&str>, model: Option<&str>) -> Vec<Option<&'static Profile>> {
        let stated = self.profile.filter(|profile| profile.speaks(api));
        match stated.or_else(|| profiles::at_host(server?, api)) {
            Some(profile) => vec![Some(profile)],
            // A profile that speaks for other languages only was stated for other requests.
            None if self.profile.is_some() => vec![None],
            None => profiles::candidates(api, self.model.as_deref().or(model)),
        }
    }

    /// Whom a request in an API's language is judged for, that names this model.
    pub fn target<'t>(&'t self, api: Api, profile: Option<&'static Profile>, named: Option<&'t str>) -> Target<'t> {
        // A profile speaks for requests in its own language only; the end of the run says for how many it did not.
        let profile = profile.filter(|profile| profile.speaks(api));
        Target::of(api, profile, self.model.as_deref().or(named))
    }

    /// Whether a finding counts.
    pub fn wants(&self, finding: &Finding) -> bool {
        (self.select.is_empty() || self.select.contains(&finding.rule)) && !self.ignore.contains(&finding.rule)
    }
}

fn judging_api(api: Api, profile: Option<&'static Profile>) -> Api {
    profile.map_or(api, |profile| profile.judges(api))
}
