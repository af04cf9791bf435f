//! What one deletion does to a valid request, and what changes nothing: the rules against the slow checker, and against
//! themselves.

use std::collections::BTreeSet;

use cutpoint::dialects;
use cutpoint::model::Api;
use cutpoint::rules::Severity;
use proptest::prelude::*;
use serde_json::Value;

use crate::requests::{body, rounds};
use crate::rules::judge;
use crate::slow::{Fault, faults, list, list_name};

/// The errors that the rules find.
fn found(api: Api, body: &Value) -> BTreeSet<Fault> {
    let request = (dialects::for_api(api).parse)(body.clone()).unwrap();
    let judged = judge(&request);
    let errors = judged.findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| (finding.rule, finding.message.map(|at| at as usize))).collect()
}

/// The list of blocks in a message, by its name.
pub fn blocks(api: Api) -> &'static str {
    match api {
        Api::GeminiGenerateContent => "parts",
        Api::OpenaiChat | Api::MistralChat => "tool_calls",
        _ => "content",
    }
}

/// Every body with one message, block or id less.
pub fn mutants(api: Api, body: &Value) -> Vec<(String, Value)> {
    let mut mutants = Vec::new();
    for at in 0..list(api, body).len() {
        let mut mutant = body.clone();
        mutant[list_name(api)].as_array_mut().unwrap().remove(at);
        mutants.push((format!("without message {at}"), mutant));
        let n_blocks = list(api, body)[at][blocks(api)].as_array().map_or(0, Vec::len);
        for block in 0..n_blocks {
            let mut mutant = body.clone();
            mutant[list_name(api)][at][blocks(api)].as_array_mut().unwrap().remove(block);
            mutants.push((format!("without block {block} of message {at}"), mutant));
        }
        for pointer in id_pointers(api, &list(api, body)[at]) {
            let mut mutant = body.clone();
            let (holder, member) = pointer.rsplit_once('/').unwrap();
            let holder = mutant[list_name(api)][at].pointer_mut(holder).unwrap();
            holder.as_object_mut().unwrap().shift_remove(member);
            mutants.push((format!("without {pointer} of message {at}"), mutant));
        }
    }
    mutants
}

/// Where ids stand in a message.
fn id_pointers(api: Api, message: &Value) -> Vec<String> {
    let own = ["/tool_call_id", "/call_id"].map(str::to_owned);
    let n_blocks = message[blocks(api)].as_array().map_or(0, Vec::len);
    let members = ["id", "tool_use_id", "toolUse/toolUseId", "toolResult/toolUseId"];
    let inner = (0..n_blocks).flat_map(|block| members.map(|member| format!("/{}/{block}/{member}", blocks(api))));
    own.into_iter().chain(inner).filter(|pointer| message.pointer(pointer).is_some()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_valid_request_is_taken_and_each_deletion_is_what_the_textbook_calls_it(rounds in rounds()) {
        for api in Api::ALL.iter().copied() {
            let body = body(api, &rounds);
            prop_assert_eq!(found(api, &body), BTreeSet::new(), "{}", api);
            prop_assert_eq!(faults(api, &body), BTreeSet::new(), "{}", api);
            for (what, mutant) in mutants(api, &body) {
                prop_assert_eq!(found(api, &mutant), faults(api, &mutant), "{} {}: {}", api, what, mutant);
            }
        }
    }
}
