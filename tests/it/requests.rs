//! Valid requests of every API for property tests: rounds of a user's words, tool use and the assistant's words.

use cutpoint::model::Api;
use proptest::prelude::*;
use serde_json::{Value, json};

/// What a user asks for and what the agent does about it, before it speaks.
#[derive(Clone, Debug)]
pub struct Round {
    /// Each step calls so many tools at once and gets all their results.
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug)]
pub struct Step {
    pub calls: usize,
    /// The assistant says something before it calls.
    pub says: bool,
    /// The results stand in the opposite order of the calls.
    pub reversed: bool,
}

/// Rounds of which the last one is still open: it ends with the user's words, or with results.
pub fn rounds() -> impl Strategy<Value = Vec<Round>> {
    let step =
        (1usize..4, any::<bool>(), any::<bool>()).prop_map(|(calls, says, reversed)| Step { calls, says, reversed });
    let round = prop::collection::vec(step, 0..3).prop_map(|steps| Round { steps });
    prop::collection::vec(round, 1..4)
}

/// The body of these rounds in an API's language.
pub fn body(api: Api, rounds: &[Round]) -> Value {
    let mut list = Vec::new();
    for (number, round) in rounds.iter().enumerate() {
        let script = script(api);
        list.push((script.user)("Fire the kiln."));
        for (at, step) in round.steps.iter().enumerate() {
            let ids: Vec<String> = (0..step.calls).map(|call| format!("kiln{number:02}{at:02}{call}")).collect();
            let mut answered = ids.clone();
            if step.reversed {
                answered.reverse();
            }
            list.extend((script.ask)(&ids, step.says));
            list.extend((script.answer)(&answered));
        }
        if number + 1 < rounds.len() {
            list.push((script.say)("It is hot."));
        }
    }
    (script(api).body)(list)
}

/// How one API writes what rounds are made of.
struct Script {
    user: fn(&str) -> Value,
    say: fn(&str) -> Value,
    ask: fn(&[String], bool) -> Vec<Value>,
    answer: fn(&[String]) -> Vec<Value>,
    body: fn(Vec<Value>) -> Value,
}

fn script(api: Api) -> Script {
    match api {
        Api::AnthropicMessages => ANTHROPIC,
        Api::OpenaiChat => CHAT,
        Api::OpenaiResponses => RESPONSES,
        Api::GeminiGenerateContent => GEMINI,
        Api::BedrockConverse => CONVERSE,
        Api::MistralChat => MISTRAL,
    }
}

const ANTHROPIC: Script = Script {
    user: |text| json!({"role": "user", "content": text}),
    say: |text| json!({"role": "assistant", "content": [{"type": "text", "text": text}]}),
    ask: |ids, says| {
        let text = says.then(|| json!({"type": "text", "text": "So."}));
        let calls = ids.iter().map(|id| json!({"type": "tool_use", "id": id, "name": "fire", "input": {"to": 1100}}));
        vec![json!({"role": "assistant", "content": text.into_iter().chain(calls).collect::<Vec<_>>()})]
    },
    answer: |ids| {
        let result = |id| json!({"type": "tool_result", "tool_use_id": id, "content": "1100 degrees"});
        vec![json!({"role": "user", "content": ids.iter().map(result).collect::<Vec<_>>()})]
    },
    body: |list| {
        let tools = json!([{"name": "fire", "input_schema": {"type": "object"}}]);
        json!({"max_tokens": 1024, "system": "Mind the kiln.", "tools": tools, "messages": list})
    },
};

fn chat_ask(ids: &[String], says: bool) -> Vec<Value> {
    let call = |id| json!({"id": id, "type": "function", "function": {"name": "fire", "arguments": "{\"to\": 1100}"}});
    let content: Value = if says { "So.".into() } else { Value::Null };
    vec![json!({"role": "assistant", "content": content, "tool_calls": ids.iter().map(call).collect::<Vec<_>>()})]
}

fn chat_body(mut list: Vec<Value>) -> Value {
    list.insert(0, json!({"role": "system", "content": "Mind the kiln."}));
    let tools = json!([{"type": "function", "function": {"name": "fire", "parameters": {"type": "object"}}}]);
    json!({"tools": tools, "messages": list})
}

const CHAT: Script = Script {
    user: |text| json!({"role": "user", "content": text}),
    say: |text| json!({"role": "assistant", "content": text}),
    ask: chat_ask,
    answer: |ids| ids.iter().map(|id| json!({"role": "tool", "tool_call_id": id, "content": "1100 degrees"})).collect(),
    body: chat_body,
};

const MISTRAL: Script = Script {
    answer: |ids| {
        let result = |id| json!({"role": "tool", "tool_call_id": id, "name": "fire", "content": "1100 degrees"});
        ids.iter().map(result).collect()
    },
    ..CHAT
};

const RESPONSES: Script = Script {
    user: |text| json!({"type": "message", "role": "user", "content": text}),
    say: |text| json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}),
    ask: |ids, says| {
        let text = says.then(|| (RESPONSES.say)("So."));
        let call = |id| json!({"type": "function_call", "call_id": id, "name": "fire", "arguments": "{\"to\": 1100}"});
        text.into_iter().chain(ids.iter().map(call)).collect()
    },
    answer: |ids| {
        ids.iter().map(|id| json!({"type": "function_call_output", "call_id": id, "output": "1100 degrees"})).collect()
    },
    body: |list| {
        let tools = json!([{"type": "function", "name": "fire", "parameters": {"type": "object"}}]);
        json!({"instructions": "Mind the kiln.", "tools": tools, "input": list})
    },
};

const GEMINI: Script = Script {
    user: |text| json!({"role": "user", "parts": [{"text": text}]}),
    say: |text| json!({"role": "model", "parts": [{"text": text}]}),
    ask: |ids, says| {
        let text = says.then(|| json!({"text": "So."}));
        let calls = ids.iter().map(|_| json!({"functionCall": {"name": "fire", "args": {"to": 1100}}}));
        vec![json!({"role": "model", "parts": text.into_iter().chain(calls).collect::<Vec<_>>()})]
    },
    answer: |ids| {
        let result = |_| json!({"functionResponse": {"name": "fire", "response": {"output": "1100 degrees"}}});
        vec![json!({"role": "user", "parts": ids.iter().map(result).collect::<Vec<_>>()})]
    },
    body: |list| {
        let tools = json!([{"functionDeclarations": [{"name": "fire", "parameters": {"type": "object"}}]}]);
        json!({"systemInstruction": {"parts": [{"text": "Mind the kiln."}]}, "tools": tools, "contents": list})
    },
};

const CONVERSE: Script = Script {
    user: |text| json!({"role": "user", "content": [{"text": text}]}),
    say: |text| json!({"role": "assistant", "content": [{"text": text}]}),
    ask: |ids, says| {
        let text = says.then(|| json!({"text": "So."}));
        let calls = ids.iter().map(|id| json!({"toolUse": {"toolUseId": id, "name": "fire", "input": {"to": 1100}}}));
        vec![json!({"role": "assistant", "content": text.into_iter().chain(calls).collect::<Vec<_>>()})]
    },
    answer: |ids| {
        let result = |id| json!({"toolResult": {"toolUseId": id, "content": [{"text": "1100 degrees"}]}});
        vec![json!({"role": "user", "content": ids.iter().map(result).collect::<Vec<_>>()})]
    },
    body: |list| {
        let tools = json!({"tools": [{"toolSpec": {"name": "fire", "inputSchema": {"json": {"type": "object"}}}}]});
        json!({"system": [{"text": "Mind the kiln."}], "toolConfig": tools, "messages": list})
    },
};
