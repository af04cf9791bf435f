//! What judging a request costs, on one core: the full rules on a parsed request of 100 messages, and the way from bytes to
//! verdict on requests of about 200 KB.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use cutpoint::dialects;
use cutpoint::judge;
use cutpoint::model::Api;
use cutpoint::rules::{self, Target};
use cutpoint::transcript::size::counter;
use cutpoint::transcript::{Prompt, Transcript};
use serde_json::{Value, json};

/// The program's own.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Rounds of a request: an ask and its answer each, so about 100 messages.
const ROUNDS: usize = 49;

/// Text as agents send it: code and listings, with line breaks and quotes that JSON escapes.
fn text(bytes: usize) -> String {
    let line = "    let heat = kiln.fire(1100).expect(\"the kiln is lit\"); // round after round\n";
    line.chars().cycle().take(bytes).collect()
}

fn anthropic(result: usize) -> Value {
    let mut messages = vec![json!({"role": "user", "content": text(400)})];
    for round in 0..ROUNDS {
        let id = format!("toolu_{round:04}");
        messages.push(json!({"role": "assistant", "content": [
            {"type": "text", "text": "Next."},
            {"type": "tool_use", "id": id, "name": "fire", "input": {"path": "src/kiln.rs", "line": 12}}]}));
        messages.push(json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": text(result)}]}));
    }
    let tools = json!([{"name": "fire", "description": text(600), "input_schema": {"type": "object"}}]);
    json!({"model": "claude-opus-4-7", "max_tokens": 4096, "system": text(3_000), "tools": tools, "messages": messages})
}

fn chat(result: usize) -> Value {
    let mut messages =
        vec![json!({"role": "system", "content": text(3_000)}), json!({"role": "user", "content": text(400)})];
    for round in 0..ROUNDS {
        let id = format!("call_{round:04}");
        messages.push(json!({"role": "assistant", "content": "Next.", "tool_calls": [
            {"id": id, "type": "function", "function": {"name": "fire", "arguments": "{\"path\": \"src/kiln.rs\"}"}}]}));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": text(result)}));
    }
    json!({"model": "gpt-4.1", "messages": messages})
}

fn bodies(result: usize) -> [(Api, Value); 2] {
    [(Api::AnthropicMessages, anthropic(result)), (Api::OpenaiChat, chat(result))]
}

fn rules_on_a_parsed_request(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rules on 100 messages");
    for (api, body) in bodies(40) {
        let request = (dialects::for_api(api).parse)(body).expect("a body of that API");
        let transcript = Transcript::of_request(&request, counter("chars4").expect("a counter"));
        let resident: Vec<u32> = (0..transcript.messages.len() as u32).collect();
        let target = Target::new(api, request.model.as_deref());
        group.bench_function(api.id(), |bencher| {
            bencher.iter(|| black_box(rules::check(&Prompt::new(black_box(&transcript), &resident), &target)));
        });
    }
    group.finish();
}

fn bytes_to_verdict(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("bytes to verdict");
    for (api, body) in bodies(3_600) {
        let bytes = body.to_string().into_bytes();
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function(format!("{api}, {} KB", bytes.len() / 1000), |bencher| {
            bencher.iter(|| {
                let value: Value = serde_json::from_slice(black_box(&bytes)).expect("JSON");
                let request = (dialects::for_api(api).parse)(value).expect("a body");
                black_box(judge::judge(&request, &Target::new(api, request.model.as_deref())).verdict)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, rules_on_a_parsed_request, bytes_to_verdict);
criterion_main!(benches);
