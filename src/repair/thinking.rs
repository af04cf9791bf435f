//! Thinking that the provider would not recognise or not take where it stands.

use crate::model::Api;
use crate::transcript::{PartKind, Site, Speaker};

use super::Round;
use super::draft::Draft;

/// What the vendor of Gemini lets stand in the place of a signature that is lost.
const PLACEHOLDER: &str = "skip_thought_signature_validator";

/// How Gemini spells the member that signs a part.
const SIGNATURES: [&str; 2] = ["thoughtSignature", "thought_signature"];

/// Drops thinking that is not as the model signed it.
pub(super) fn drop_blocks(round: &Round, draft: &mut Draft) {
    for site in round.sites() {
        draft.say(site, "drop a thinking block that is not as the model signed it".to_owned());
        draft.drop_block(site);
    }
}

/// Takes signatures of another model off the parts that carry them.
pub(super) fn drop_signatures(round: &Round, draft: &mut Draft) {
    for site in round.sites() {
        draft.say(site, "drop a signature that another model wrote".to_owned());
        let fields = &mut draft.part_mut(site).extra;
        SIGNATURES.iter().for_each(|name| drop(fields.shift_remove(*name)));
    }
}

/// Signs calls that lost their signature with the vendor's placeholder.
pub(super) fn put_placeholder(round: &Round, draft: &mut Draft) {
    for site in round.sites() {
        draft.say(site, format!("sign the call `{PLACEHOLDER}`, as the vendor allows: its own signature is lost"));
        draft.part_mut(site).extra.insert(SIGNATURES[0].to_owned(), PLACEHOLDER.into());
    }
}

/// Messages that end with thinking go on with the assistant's next one, where that follows; else the thinking goes.
pub(super) fn drop_final(round: &Round, draft: &mut Draft) {
    for position in round.messages() {
        let parts = round.prompt.entry(position).parts;
        let is_said = |next: usize| round.prompt.entry(next).message.speaker == Speaker::Assistant;
        let is_followed = position + 1 < round.prompt.len() && is_said(position + 1);
        let from = parts.iter().rposition(|part| part.kind != PartKind::Thinking).map_or(0, |last| last + 1);
        let sites = (from..parts.len()).map(|block| Site { message: position as u32, block: block as u32 });
        if is_followed && from == 0 && draft.api() == Api::AnthropicMessages {
            let next = Site { message: position as u32 + 1, block: 0 };
            draft.say(
                Site { message: position as u32, block: 0 },
                "move thinking into the message it led to".to_owned(),
            );
            sites.for_each(|site| draft.move_block(site, next));
            continue;
        }
        for site in sites {
            draft.say(site, "drop thinking that ends a message: nothing of what it led to is left".to_owned());
            draft.drop_block(site);
        }
    }
}
