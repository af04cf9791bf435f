//! Sentences of providers in the wrappers of clients, gateways and logs, and what each is about.

use super::{Recognised, recognise};

/// Refused by rules, of which this is the likeliest, or one of them where several are named.
#[track_caller]
fn refused(rules: &[&str], text: &str) {
    match recognise(text, None).recognised {
        Recognised::Broken(broken) => assert!(rules.contains(&broken.rules[0]), "{text}: {broken:?}"),
        other => panic!("{text}: {other:?}"),
    }
}

#[track_caller]
fn overflows(text: &str) {
    let recognised = recognise(text, None).recognised;
    assert!(matches!(recognised, Recognised::Overflow(_)), "{text}: {recognised:?}");
}

/// Neither about the messages nor a full window.
#[track_caller]
fn other(text: &str) {
    let recognised = recognise(text, None).recognised;
    assert!(!matches!(recognised, Recognised::Overflow(_) | Recognised::Broken(_)), "{text}: {recognised:?}");
}

/// A body as a client logs it that cuts after 120 characters.
fn cut(body: &str) -> String {
    let begun: String = body.chars().take(120).collect();
    format!(
        "Client error: `POST https://api.example.com/v1/x` resulted in a `400 Bad Request` response:\n{begun} (truncated...)"
    )
}

#[test]
fn minimax_says_it_in_its_own_words() {
    refused(
        &["orphan_tool_result"],
        "HTTP 400 invalid_request_error: invalid params, tool result's tool id(call_function_g094w5htkglv_1) not found (2013) (request_id:05db)",
    );
    refused(
        &["orphan_tool_result"],
        r#"{"error":{"message":"Minimax midstream error: invalid params, tool result's tool id(call_x9) not found","code":400,"metadata":{"provider_name":"Minimax"}},"user_id":"u"}"#,
    );
    refused(
        &["invalid_tool_arguments"],
        r#"{"type":"error","error":{"type":"bad_request_error","message":"invalid params, invalid function arguments json string, tool_call_id: call_function_abr_1 (2013)","http_code":"400"},"request_id":"1"}"#,
    );
    refused(&["empty_content"], "400 invalid params, chat content is empty (2013)");
    refused(
        &["system_role_not_supported"],
        r#"{"error":{"message":"invalid params, chat content has invalid message role: system (2013)","type":"bad_request_error","param":"","code":null}}"#,
    );
    refused(&["unknown_role"], "invalid params, chat content has invalid message role: developer (2013)");
    overflows("invalid params, context window exceeds limit (2013)");
    other("[API Error: 400 invalid params, function parameters is empty (2013)]");
    refused(&["system_role_not_supported"], "Error: 400 invalid params, invalid chat setting (2013)");
    refused(
        &["orphan_tool_result"],
        r#"Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"invalid params, tool call result does not follow tool call (2013)"},"request_id":"06"}"#,
    );
}

#[test]
fn xai_says_it_in_its_own_words() {
    refused(
        &["empty_content"],
        r#"POST "https://api.x.ai/v1/chat/completions": 400 Bad Request "Invalid request content: Each message must have at least one content element.""#,
    );
    refused(
        &["invalid_message_member"],
        r#"{"code": "Client specified an invalid argument","error": "The model expects a single `text` element per message."}"#,
    );
    refused(
        &["invalid_tool_arguments"],
        r#"{"code":"Client specified an invalid argument","error":"The arguments to a tool_call with ID 'initial_list' are not a valid JSON string. Parsing error: Error(\"EOF while parsing a value\", line: 1, column: 0)"}"#,
    );
    refused(
        &["encrypted_reasoning_invalid"],
        r#"{"code":"invalid-argument","error":"Could not decrypt the provided encrypted_content. Ensure the value is the unmodified encrypted_content from a previous response."}"#,
    );
    other(
        "Error 400 with provider xai: {'code': 'Client specified an invalid argument', 'error': 'Argument not supported on this model: presencePenalty'}",
    );
    overflows("This model's maximum prompt length is 131072 but the request contains 537812 tokens");
    refused(
        &["invalid_message_member"],
        r#"{"code":"Client specified an invalid argument","error":"Failed to deserialize the JSON body into the target type: messages[3].content: invalid type: null, expected a string at line 1 column 99"}"#,
    );
}

#[test]
fn groq_says_it_in_its_own_words() {
    refused(
        &["missing_tool_call_id"],
        r#"{"error":{"message":"'messages.3' : for 'role:tool' the following must be satisfied[('messages.3.tool_call_id' : property 'tool_call_id' is missing)]","type":"invalid_request_error"}}"#,
    );
    refused(
        &["invalid_message_member"],
        "400 'messages.2' : for 'role:tool' the following must be satisfied[('messages.2.content' : value must be a string)]",
    );
    refused(
        &["invalid_message_member"],
        "Error: 'messages.0' : for 'role:user' the following must be satisfied[('messages.0' : property 'timestamp' is unsupported)]\nType: invalid_request_error",
    );
    refused(
        &["empty_content"],
        "'messages.5' : for 'role:user' the following must be satisfied[('messages.5' : property 'content' is missing)]",
    );
    refused(
        &["invalid_message_member"],
        "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1.content' : one of the following must be satisfied[('messages.1.content' : value must be a string) OR ('messages.1.content.0.text' : property 'text' is missing)])]",
    );
    refused(&["unknown_role"], "'messages.0' : discriminator property 'role' has invalid value");
    refused(&["empty_messages"], "'messages' : minimum number of items is 1");
    other(
        "Request too large for model `llama` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your message size and try again.",
    );
    overflows("Please reduce the length of the messages or completion.");
}

#[test]
fn converse_says_it_in_its_own_words() {
    refused(
        &["invalid_tool_arguments"],
        "The format of the value at messages.1.content.0.toolUse.input is invalid. Provide a json object for the field and try again.",
    );
    refused(
        &["invalid_message_member"],
        "An error occurred (ValidationException) when calling the ConverseStream operation: The format of the value at messages.28.content.0.toolResult.content.0.json is invalid. Provide a json object for the field and try again.",
    );
    other(
        "The format of the value at toolConfig.tools.0.toolSpec.inputSchema.json is invalid. Provide a json object for the field and try again.",
    );
    refused(
        &["system_role_not_supported"],
        "ValidationException: 1 validation error detected: Value 'system' at 'messages.1.member.role' failed to satisfy constraint: Member must satisfy enum value set: [user, assistant]",
    );
    refused(
        &["unknown_role"],
        "ValidationException: 1 validation error detected: Value 'tool' at 'messages.1.member.role' failed to satisfy constraint: Member must satisfy enum value set: [user, assistant]",
    );
    refused(
        &["consecutive_same_role"],
        "ValidationException: A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.",
    );
    refused(
        &["invalid_tool_call_id"],
        "1 validation error detected: Value 'functions.x:0' at 'messages.2.member.content.1.member.toolUse.toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
    );
    refused(
        &["blank_text"],
        r#"Error: {"name": "ValidationException","$fault": "client","$metadata": {"httpStatusCode": 400},"message": "The text field in the ContentBlock object at messages.15.content.0 is blank. Add text to the text field, and try again."}"#,
    );
    overflows("ValidationException: The model returned the following errors: Input is too long for requested model.");
    refused(
        &["trailing_assistant_prefill"],
        "The model returned the following errors: A conversation must end with a user message. Try again with a conversation that ends with a user message.",
    );
    refused(
        &["invalid_message_member"],
        "Malformed input request: #/messages/2/content/0: extraneous key [cache_control] is not permitted, please reformat your input and try again.",
    );
    other(
        "litellm.RateLimitError: BedrockException: Rate Limit Error - Too many tokens, please wait before trying again.",
    );
    other(
        r#"litellm.ContextWindowExceededError: litellm.BadRequestError: BedrockException: Context Window Error - {"message":"Too many tokens, please wait before trying again."}"#,
    );
}

#[test]
fn mistral_says_it_in_its_own_words() {
    refused(
        &["user_after_tool", "orphan_tool_result"],
        r#"{"object":"error","message":"Unexpected role RoleEnum.tool","type":"invalid_request_error","param":null,"code":null}"#,
    );
    refused(
        &["user_after_tool"],
        r#"Error: API request failed with status 400. Body: "{\"object\":\"error\",\"message\":\"Unexpected role 'user' after role 'tool'\",\"type\":\"invalid_request_message_order\",\"param\":null,\"code\":\"3230\"}""#,
    );
    refused(
        &["user_after_tool", "orphan_tool_result"],
        r#"POST "https://openrouter.ai/api/v1/chat/completions": 400 Bad Request {"message":"Provider returned error","code":400,"metadata":{"raw":"{\"object\":\"error\",\"message\":\"Unexpected role 'tool' after role 'user'\",\"type\":\"invalid_request_message_order\"}","provider_name":"Mistral"}}"#,
    );
    refused(&["system_message_position"], "Unexpected role 'system' after role 'user'");
    refused(&["consecutive_same_role"], "Unexpected role 'user' after role 'user'");
    refused(&["missing_tool_call_id"], "Tool call id has to be defined.");
    refused(
        &["invalid_message_member"],
        r#"{"detail":[{"type":"extra_forbidden","loc":["body","messages",2,"assistant","reasoning_content"],"msg":"Extra inputs are not permitted","input":"x"}]}"#,
    );
    refused(
        &["consecutive_same_role"],
        "Error code: 400 - {'object': 'error', 'message': 'After the optional system message, conversation roles must alternate user/assistant/user/assistant/...', 'type': 'BadRequestError', 'param': None, 'code': 400}",
    );
    refused(
        &["trailing_assistant_prefill"],
        "Expected last role User or Tool (or Assistant with prefix or continue_final_message set to True) for serving but got assistant",
    );
}

#[test]
fn ollama_says_it_in_its_own_words() {
    overflows(
        r#"Ollama API error 400: {"StatusCode":400,"Status":"400 Bad Request","error":"prompt too long; exceeded max context length by 4 tokens"}"#,
    );
    overflows(
        r#"Sorry: Bad Request Details: {"error":"prompt too long; exceeded max context length by 540451 tokens (ref: 00ad71bb)"}"#,
    );
    overflows(r#"ollama: unexpected status 400: {"error":"the input length exceeds the context length"}"#);
    refused(
        &["invalid_tool_arguments"],
        "json: cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments of type api.ToolCallFunctionArguments",
    );
}

#[test]
fn gemini_says_it_in_its_own_words() {
    refused(
        &["gemini_thought_signature_invalid"],
        "Google: Unable to submit request because Thought signature is not valid.. Learn more: https://cloud.google.com/x",
    );
    refused(
        &["gemini_thought_signature_invalid"],
        r#"{"error":{"code":400,"message":"Invalid value at 'contents[2].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed for \"Es4D\"","status":"INVALID_ARGUMENT"}}"#,
    );
    refused(
        &["trailing_assistant_prefill"],
        "Please ensure that single turn requests end with a user role or the role field is empty.",
    );
    refused(
        &["consecutive_same_role"],
        "[400 Bad Request] Please ensure that multiturn requests alternate between user and model.",
    );
    refused(
        &["invalid_message_member"],
        r#"Invalid JSON payload received. Unknown name "id" at 'contents[1].parts[0].function_call': Cannot find field."#,
    );
    refused(&["empty_content"], "* GenerateContentRequest.contents[3].parts: contents.parts must not be empty.");
}

#[test]
fn openai_says_it_in_its_own_words() {
    refused(
        &["invalid_item_id"],
        r#"Error code: 400 - {'error': {'message': "Invalid 'input[3].id': empty string. Expected a string with minimum length 1, but got an empty string instead.", 'type': 'invalid_request_error', 'param': 'input[3].id', 'code': 'empty_string'}}"#,
    );
    refused(&["invalid_item_id"], "Invalid 'input[12].id': 'call_9'. Expected an ID that begins with 'fc'.");
    refused(
        &["length_limit_exceeded"],
        "Invalid 'input': array too long. Expected an array with maximum length 16, but got 20",
    );
    other(
        "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 150 instead.",
    );
    refused(
        &["orphan_tool_result"],
        "Invalid parameter: 'tool_call_id' of 'call_q7' not found in 'tool_calls' of previous message.",
    );
    refused(
        &["missing_tool_call_id"],
        r#"{"error":{"message":"Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'. (request id: 2024) (request id: 20x)","type":"invalid_request_error","param":"messages.[3].tool_call_id","code":null}}"#,
    );
    refused(
        &["encrypted_reasoning_invalid"],
        "status_code=400, The encrypted content for item rs_0e51 could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
    );
    refused(
        &["encrypted_reasoning_invalid"],
        "ChatGPT request failed (400): {\n  \"error\": {\n    \"message\": \"The encrypted content for item rs_0dd1 could not be verified. Reason: Encrypted content organization_id did not match the target organization.\",\n    \"type\": \"invalid_request_error\",\n    \"param\": null,\n    \"code\": \"invalid_encrypted_content\"\n  }\n}",
    );
    refused(
        &["encrypted_reasoning_invalid"],
        r#"{"error":{"code":"invalid_encrypted_content","message":"upstream said no","type":"invalid_request_error"}}"#,
    );
    refused(&["empty_content"], "'content' is a required property - 'messages.4'");
    refused(&["invalid_message_member"], "Unknown parameter: 'messages[1].reasoning_content'.");
    refused(
        &["invalid_message_member"],
        "Additional properties are not allowed ('timestamp' was unexpected) - 'messages.0'",
    );
    refused(&["orphan_tool_result"], "No tool call found for tool output with call_id call_3.");
    refused(
        &["invalid_message_member"],
        "Invalid value: 'text'. Supported values are: 'input_text', 'input_image', 'output_text', 'refusal', 'input_file', 'computer_screenshot', and 'summary_text'.",
    );
    refused(
        &["unknown_role"],
        "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
    );
    overflows(
        "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 290000 tokens. Please reduce the length of the messages.",
    );
    other(
        "max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.",
    );
    other("max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude");
    other(
        "too many tokens: max tokens must be less than or equal to 4096, the maximum output for this model - received 8192.",
    );
}

#[test]
fn a_body_that_is_no_json_is_told() {
    refused(
        &["invalid_json_body"],
        r#"API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"The request body is not valid JSON: no low surrogate in string: line 1 column 28642 (char 28641)"},"request_id":"r"}"#,
    );
    refused(
        &["invalid_json_body"],
        "API Error: 400 The request body is not valid JSON: no low surrogate in string: line 1 column 195621 (char 195620)",
    );
    refused(
        &["invalid_json_body"],
        "The request body is not valid JSON: Unterminated string starting at: line 1 column 95 (char 94)",
    );
    refused(
        &["invalid_json_body"],
        "The request body is not valid JSON: unexpected end of data: line 1 column 95 (char 94)",
    );
    refused(
        &["invalid_json_body"],
        "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly.",
    );
    refused(
        &["invalid_json_body"],
        "Failed to parse the request body as JSON: messages[3].content: lone leading surrogate in hex escape at line 1 column 99",
    );
    refused(&["invalid_json_body"], "'utf-8' codec can't encode characters in position 12-13: surrogates not allowed");
}

#[test]
fn other_compatible_servers_say_it_in_their_own_words() {
    refused(&["no_user_message"], r#"{"error":{"code":"1214","message":"messages 参数非法。请检查文档。"}}"#);
    refused(
        &["no_user_message"],
        r#"502 All variants failed with errors: glm-5.2: ollama1: Inference stream closed: Invalid status code: 400 Bad Request: {"error":{"code":"1214","message":"The messages parameter is illegal. Please check the documentation."}}"#,
    );
    refused(
        &["unknown_role", "system_role_not_supported"],
        r#"400: {"message":"Error from provider (Console Go): Upstream request failed: [1214] Incorrect role information","type":"server_error","param":"","code":null}"#,
    );
    refused(
        &["unknown_role", "system_role_not_supported"],
        r#"422 {"detail":[{"type":"literal_error","loc":["body","messages",1,"role"],"msg":"Input should be 'user' or 'assistant'","input":"system"}]}"#,
    );
    refused(
        &["empty_content"],
        r#"{"error":{"code":"1213","message":"The prompt parameter was not received normally."}}"#,
    );
    refused(
        &["invalid_message_member"],
        "litellm.BadRequestError: OpenAIException - Inference failed: request param validation error, Value error, message[3].content[2] has invalid field(s): text, ***.Request failed with status: 400 BAD_REQUEST. (request id: 57)No fallback model group found",
    );
    overflows(r#"{"code":"1261","message":"Prompt exceeds max length"}"#);
    refused(
        &["orphan_tool_result"],
        r#"[API Error: 400 <400> InternalError.Algo.InvalidParameter: messages with role "tool" must be a response to a preceeding message with "tool_calls".]"#,
    );
    refused(
        &["no_user_message"],
        "DashScope API error: <400> InternalError.Algo.InvalidParameter: The input messages do not contain elements with the role of user",
    );
    refused(&["empty_content"], "<400> InternalError.Algo.InvalidParameter: The content field is a required field.");
    refused(&["orphan_tool_result"], "{'message': 'tool call id not found in previous tool calls'}");
    refused(&["duplicate_tool_call_id"], "status_code: 400, body: {'message': 'cannot have duplicate tool ids'}");
    refused(&["missing_tool_call_id"], r#"{"message":"tool call id must be provided with tool message"}"#);
    refused(&["system_message_position"], r#"{"message":"system turn must be the first in the list"}"#);
    refused(
        &["empty_content"],
        "ApiError: status_code: 400, body: {'message': 'invalid request: all elements in history must have a message.'}",
    );
    refused(
        &["mixed_tool_and_text_turn"],
        r#"{"message":"text content is not allowed when tool_calls are provided. If you wish to pass a tool plan, use tool_plan: messages[2].content[0]"}"#,
    );
    overflows("too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs");
}

#[test]
fn moonshot_and_deepseek_say_it_in_their_own_words() {
    refused(
        &["orphan_tool_result"],
        r#"{"error":{"message":"Invalid request: tool_call_id  is not found","type":"invalid_request_error"}}"#,
    );
    refused(
        &["orphan_tool_result"],
        r#"{"error":{"message":"Invalid request: tool_call_id functions.Bash:3 is not found","type":"invalid_request_error"}}"#,
    );
    refused(&["empty_content"], "Invalid request: the message at position 3 with role 'assistant' must not be empty");
    refused(&["empty_content"], "Invalid request: text content is empty");
    refused(&["empty_content"], "Invalid assistant message: content or tool_calls must be set");
    refused(
        &["missing_tool_call_id"],
        "Failed to deserialize the JSON body into the target type: messages[1]: missing field `tool_call_id` at line 1 column 200",
    );
    refused(
        &["invalid_message_member"],
        "Failed to deserialize the JSON body into the target type: messages[2]: invalid type: sequence, expected a string at line 1 column 20",
    );
    refused(
        &["system_role_not_supported", "unknown_role"],
        "Failed to deserialize the JSON body into the target type: messages[0].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool` at line 1 column 50",
    );
    refused(
        &["trailing_assistant_prefill"],
        "The last message of deepseek-reasoner must be a user message, or an assistant message with prefix mode on",
    );
    refused(
        &["first_message_not_user"],
        "The first message (except the system message) of deepseek-reasoner must be a user message, but an assistant message detected.",
    );
}

#[test]
fn a_text_that_was_cut_is_still_recognised() {
    refused(
        &["unanswered_tool_call"],
        &cut(
            "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"messages.12: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1\"}}",
        ),
    );
    refused(
        &["orphan_tool_result"],
        &cut(
            "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1\"}}",
        ),
    );
    refused(
        &["unanswered_tool_call"],
        &cut(
            "{\n    \"error\": {\n        \"message\": \"An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.\"}}",
        ),
    );
    refused(
        &["gemini_function_count_mismatch"],
        &cut(
            "{\n  \"error\": {\n    \"code\": 400,\n    \"message\": \"Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.\",",
        ),
    );
    overflows(&cut(
        "{\n  \"error\": {\n    \"code\": 400,\n    \"message\": \"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).\",",
    ));
    refused(
        &["encrypted_reasoning_invalid"],
        &cut(
            "{\n  \"error\": {\n    \"message\": \"The encrypted content for item rs_0d09d6e56879e76500699d6feee41c8197bd268aae76141f87 could not be verified. Reason",
        ),
    );
    refused(
        &["trailing_assistant_prefill"],
        &cut(
            "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"This model does not support assistant message prefill. The conversation must end",
        ),
    );
    overflows(&cut(
        "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is too long: 210000 tokens > 200000 maximum\"}}",
    ));
    refused(
        &["reasoning_item_missing"],
        &cut(
            "{\n  \"error\": {\n    \"message\": \"Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_2'.\",",
        ),
    );
    refused(
        &["invalid_json_body"],
        &cut(
            "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"The request body is not valid JSON: no low surrogate in string: line 1",
        ),
    );
}

#[test]
fn a_gateways_class_is_weaker_than_the_sentence_inside() {
    overflows(
        "litellm.ContextWindowExceededError: litellm.BadRequestError: AnthropicException - prompt is too long: 210000 tokens > 200000 maximum",
    );
    overflows("litellm.ContextWindowExceededError: the upstream refused");
    refused(
        &["tool_call_id_too_long"],
        "litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: OpenAIException - Invalid 'messages[3].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 51 instead.",
    );
    refused(
        &["orphan_tool_result"],
        "litellm.ContextWindowExceededError: x: messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
    );
    other(
        "litellm.ContextWindowExceededError: BedrockException - 1 validation error detected: Value at 'toolConfig.tools.3.member.toolSpec.name' failed to satisfy constraint: Member must have length less than or equal to 64 expected maxLength: 64",
    );
}

#[test]
fn more_servers_and_clients_say_it_in_their_own_words() {
    refused(
        &["consecutive_same_role"],
        "Error: 400 After the (optional) system message(s), user and assistant roles should be alternating.",
    );
    refused(&["consecutive_same_role"], "Invalid consecutive assistant message at message index 3");
    refused(&["trailing_assistant_prefill"], "Last message must have role `user` or `tool`.");
    refused(
        &["invalid_message_member"],
        "Extra inputs are not permitted, field: 'messages[12].reasoning_content', value: 'x'",
    );
    refused(
        &["invalid_message_member"],
        r#"{"error":{"message":"Invalid value: ''. Supported values are: 'function'.","param":"messages[1].tool_calls[0].type","code":"invalid_value"}}"#,
    );
    refused(&["missing_required_field"], "messages.3.content.0.tool_use.name: Field required");
    refused(
        &["tools_undefined_with_tool_blocks"],
        "Requests which include `tool_use` or `tool_result` blocks must define tools",
    );
    refused(
        &["tools_undefined_with_tool_blocks"],
        "litellm.UnsupportedParamsError: Bedrock doesn't support tool calling without `tools=` param specified. Pass `tools=` param",
    );
    refused(
        &["block_wrong_role"],
        "ValidationException: User messages cannot contain reasoning content. Please remove the reasoning content and try again.",
    );
    refused(
        &["exclusive_history_sources"],
        "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only providing one of them.",
    );
    refused(
        &["system_role_not_supported"],
        "Content with system role is not supported. Please use a valid role: user, model.",
    );
    refused(
        &["unanswered_tool_call"],
        "API Error: 400 due to tool use concurrency issues. Run /rewind to recover the conversation.",
    );
    refused(&["unanswered_tool_call"], "AI_MissingToolResultsError: Tool result is missing for tool call call_9.");
    refused(
        &["orphan_tool_result", "unanswered_tool_call"],
        "invalid params, tool call result does not follow tool call",
    );
    refused(
        &["invalid_message_member"],
        r#"GLM API error: 400 {"error":{"code":"1214","message":"messages[5].content[1].type type error"}}"#,
    );
    overflows("Requested tokens (5136) exceed context window of 4096");
    overflows("Input validation error: `inputs` must have less than 4096 tokens. Given: 5000");
    other(
        "`tools` must not be an empty array. Either provide at least one tool or omit the field entirely. (parameter=tools)",
    );
    other("Extra inputs are not permitted, field: 'stream_options'");
    refused(&["invalid_message_member"], "Extra inputs are not permitted, field: 'reasoning_content', value: []");
    refused(
        &["invalid_message_member"],
        "messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported",
    );
    overflows("Request body too large for kiln-1 model. Max size: 8000 tokens.");
    other(
        "messages.2.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
    );
}

#[test]
fn what_is_said_of_settings_tools_and_limits_is_about_no_message() {
    for text in [
        "Extra inputs are not permitted",
        "Input should be 'auto' or 'none'",
        "tools.0.custom.input_schema.type: Field required",
        "max_tokens: Field required",
        "system: Input should be a valid list",
        "Unknown parameter: 'tools[0].function'.",
        "Missing required parameter: 'tools[0].name'.",
        "Invalid type for 'tools[0].parameters': expected an object, but got null instead.",
        r#"Invalid JSON payload received. Unknown name "strict" at 'tools[0].function_declarations[0]': Cannot find field."#,
        "Value at 'toolConfig.tools.1.member.toolSpec.name' failed to satisfy constraint: Member must have length less than",
        "tool call validation failed: attempted to call tool 'kiln' which was not in request.tools",
        "Request too large for kiln-1 on tokens per min (TPM): Limit 30000, Requested 45000.",
        "The maximum tokens you requested exceeds the model limit of 4096.",
        "The server had an error while processing your request. Sorry about that!",
    ] {
        other(text);
    }
}

#[test]
fn an_unknown_sentence_has_one_fingerprint_in_every_wrapper() {
    let of = |text: &str| match recognise(text, None).recognised {
        Recognised::Unclassified(fingerprint) => fingerprint,
        other => panic!("{text}: {other:?}"),
    };
    let bare = of("the kiln at messages.3 is cold");
    for wrapped in [
        r#"POST "https://api.example.com/v1/chat": 400 Bad Request "the kiln at messages.4 is cold""#,
        r#"400 "the kiln at messages.5 is cold""#,
        "HTTP 400 invalid_request_error: the kiln at messages.6 is cold",
        r#"{"error":{"message":"the kiln at messages.7 is cold."}}"#,
        "litellm.BadRequestError: OpenAIException - the kiln at messages.8 is cold. Received Model Group=kiln",
        "Error code: 400 - {'error': {'message': 'the kiln at messages.9 is cold'}}",
    ] {
        assert_eq!(of(wrapped), bare, "{wrapped}");
    }
}
