"""Texts with which providers refuse requests, as each of them words it."""

from silcrow.hooks.state import MediaLimit

# Text, limit, whether the limit includes the answer, and the provider's count of the prompt.
OVERFLOWS: list[tuple[str, int | None, bool, int | None]] = [
    # Anthropic, directly, on Bedrock and behind proxies
    ("prompt is too long: 213462 tokens > 200000 maximum", 200_000, True, 213_462),
    ("Prompt is too long", None, True, None),
    (
        "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease"
        " input length or `max_tokens` and try again",
        200_000,
        True,
        188_240,
    ),
    (
        '400 {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too'
        ' long: 1,200,000 tokens > 1,000,000 maximum"},"request_id":"req_1"}',
        1_000_000,
        True,
        1_200_000,
    ),
    (
        "ValidationException: The model returned the following errors: prompt is too long:"
        " 227255 tokens > 200000 maximum",
        200_000,
        True,
        227_255,
    ),
    (
        '{"error":"upstream: {\\"message\\":\\"prompt is too long: 210000 tokens \\u003e 200000'
        ' maximum\\"}"}',
        200_000,
        True,
        210_000,
    ),
    # OpenAI and Azure
    (
        "This model's maximum context length is 128000 tokens. However, your messages resulted in"
        " 204308 tokens. Please reduce the length of the messages.",
        128_000,
        True,
        204_308,
    ),
    (
        "This model's maximum context length is 4097 tokens, however you requested 6539 tokens"
        " (6283 in your prompt; 256 for the completion). Please reduce your prompt; or completion"
        " length.",
        4_097,
        True,
        6_283,
    ),
    (
        "This model's maximum context length is 8192 tokens. However, you requested 8213 tokens"
        " (6683 in the messages, 730 in the functions, and 800 in the completion).",
        8_192,
        True,
        7_413,
    ),
    (
        "Your input exceeds the context window of this model. Please adjust your input and try"
        " again.",
        None,
        True,
        None,
    ),
    (
        "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in"
        " 509178 tokens. Please reduce the length of the messages.",
        272_000,
        False,
        509_178,
    ),
    (
        '{"error":{"message":"Invalid request","type":"invalid_request_error","param":"messages",'
        '"code":"context_length_exceeded"}}',
        None,
        True,
        None,
    ),
    # DeepSeek, as a Python client prints it
    (
        "Error code: 400 - {'error': {'message': \"This model's maximum context length is 131072"
        " tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the"
        " completion). Please reduce the length of the messages or completion.\", 'type':"
        " 'invalid_request_error', 'param': None, 'code': 'invalid_request_error'}}",
        131_072,
        True,
        122_942,
    ),
    # OpenRouter counts roughly
    (
        "This endpoint's maximum context length is 1048576 tokens. However, you requested about"
        " 1049444 tokens (1017199 of text input, 245 of tool input, 32000 in the output). Please"
        " reduce the length of either one, or use the middle-out transform.",
        1_048_576,
        True,
        None,
    ),
    # SGLang and what is built on it
    (
        "Requested token count exceeds the model's maximum context length of 262144 tokens. You"
        " requested a total of 270012 tokens: 262012 tokens from the input messages and 8000"
        " tokens for the completion.",
        262_144,
        True,
        262_012,
    ),
    ("Requested token count exceeds the model's limit.", None, True, None),
    (
        "Input length (131393 tokens) exceeds the maximum allowed length (131040 tokens).",
        131_040,
        False,
        131_393,
    ),
    # Gemini and Vertex
    (
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
        1_048_575,
        False,
        1_196_265,
    ),
    (
        "[400 Bad Request] The input token count (1,200,000) exceeds the maximum number of tokens"
        " allowed (1,048,576).",
        1_048_576,
        False,
        1_200_000,
    ),
    (
        "Unable to submit request because the input token count is 1203113 but model only"
        " supports up to 1048576. Reduce the input token count and try again.",
        1_048_576,
        False,
        1_203_113,
    ),
    (
        '[{\\"error\\": {\\"code\\": 400, \\"message\\": \\"The input token count exceeds the'
        ' maximum number of tokens allowed 1048576.\\"}}]',
        None,
        True,
        None,
    ),
    # Bedrock
    ("ValidationException: Input is too long for requested model.", None, True, None),
    ("messages: too many total text bytes: 27118574 > 25000000", None, True, None),
    (
        "Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the"
        " input to try again.",
        None,
        True,
        None,
    ),
    # xAI
    (
        "400 \"This model's maximum prompt length is 131072 but the request contains 136973"
        ' tokens."',
        131_072,
        False,
        136_973,
    ),
    # vLLM, old and new
    (
        "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens"
        " (112946 in the messages, 10000 in the completion).",
        16_384,
        True,
        112_946,
    ),
    (
        "This model's maximum context length is 32768 tokens. However, your request has 40100"
        " input tokens. Please reduce the length of the input messages. (parameter=input_tokens,"
        " value=40100)",
        32_768,
        True,
        40_100,
    ),
    (
        "VLLMValidationError: This model's maximum context length is 128000 tokens. However, you"
        " requested 65535 output tokens and your prompt contains at least 62466 input tokens, for"
        " a total of at least 128001 tokens.",
        128_000,
        True,
        None,
    ),
    (
        "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context"
        " length is 32768 tokens and your request has 26000 input tokens (8192 > 32768 - 26000).",
        32_768,
        True,
        26_000,
    ),
    (
        "The decoder prompt (length 40012) is longer than the maximum model length of 32768. Make"
        " sure that `max_model_len` is no smaller than the number of text tokens.",
        32_768,
        True,
        40_012,
    ),
    (
        "ValueError: The prompt (total length 25938) is too long to fit into the model (context"
        " length 4096).",
        4_096,
        True,
        25_938,
    ),
    # llama.cpp and its Python binding
    (
        '{"error":{"code":400,"message":"the request exceeds the available context size. try'
        ' increasing the context size or enable context shift","type":"exceed_context_size_error",'
        '"n_prompt_tokens":14429,"n_ctx":8192}}',
        8_192,
        True,
        14_429,
    ),
    (
        "request (66202 tokens) exceeds the available context size (65536 tokens), try increasing"
        " it",
        65_536,
        True,
        66_202,
    ),
    ("the request exceeds the available context size, try increasing it", None, True, None),
    ("ValueError: Requested tokens (5160) exceed context window of 4096", 4_096, True, 5_160),
    (
        "Prompt has 150,000 tokens, but the configured context size is 131,072 tokens",
        131_072,
        True,
        150_000,
    ),
    # LM Studio
    (
        "The number of tokens to keep from the initial prompt is greater than the context length"
        " (n_keep: 15004 >= n_ctx: 8192). Try to load the model with a larger context length.",
        8_192,
        True,
        None,
    ),
    (
        "Trying to keep the first 17862 tokens when context the overflows. However, the model is"
        " loaded with context length of only 4096 tokens, which is not enough.",
        4_096,
        True,
        None,
    ),
    # Ollama
    ("prompt too long; exceeded max context length by 10213 tokens", None, True, None),
    # Mistral
    (
        "Prompt contains 135000 tokens and 0 draft tokens, too large for model with 131072 maximum"
        " context length",
        131_072,
        True,
        135_000,
    ),
    # Groq
    ("Please reduce the length of the messages or completion.", None, True, None),
    # Together
    (
        "The input (516368 tokens) is longer than the model's context length (262144 tokens).",
        262_144,
        True,
        516_368,
    ),
    # Others
    ("prompt token count of 130000 exceeds the limit of 128000", 128_000, False, 130_000),
    ("Your request exceeded model token limit: 262144 (requested: 300000)", 262_144, True, 300_000),
    ("invalid params, context window exceeds limit (2013)", None, True, None),
    ("Range of input length should be [1, 98304]", 98_304, False, None),
    (
        "too many tokens: the total number of tokens in the prompt cannot exceed 4081 - received"
        " 4292. Try using a shorter prompt.",
        4_081,
        False,
        4_292,
    ),
    (
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 37500"
        " `inputs` tokens and 20 `max_new_tokens`",
        8_192,
        True,
        37_500,
    ),
    (
        "Input validation error: `inputs` must have less than 4096 tokens. Given: 5000",
        4_096,
        False,
        5_000,
    ),
    (
        "The prompt is too long: 140000, model maximum context length: 131071",
        131_071,
        True,
        140_000,
    ),
    (
        "The estimated number of input and maximum output tokens (33000) exceeded this model"
        " context window limit (32768).",
        32_768,
        True,
        None,
    ),
    ('{"error":{"code":"1261","message":"Prompt exceeds max length"}}', None, True, None),
    ("model_context_window_exceeded", None, True, None),
    # As gateways retell it
    (
        "litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - too large",
        None,
        True,
        None,
    ),
    (
        "An error occurred: The input exceeds the model's maximum context limit of 8192 tokens.",
        8_192,
        True,
        None,
    ),
    ("Your prompt is longer than the model's context length of 20_480.", 20_480, True, None),
    ("The request exceeds the context window of 128k tokens", 128_000, True, None),
    ("THIS MODEL'S MAXIMUM CONTEXT LENGTH IS 131072.", 131_072, True, None),
]

OTHERS = [
    # Speed and money
    "Rate limit reached for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000,"
    " Used 20000, Requested 31000. Please try again in 2.4s.",
    "Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000,"
    " Requested 48211. The input or output tokens must be reduced in order to run successfully.",
    '{"error":{"message":"Request too large for model `llama-3.3-70b` on tokens per minute (TPM):'
    " Limit 6000, Requested 14810, please reduce your message size and try"
    ' again.","type":"tokens","code":"rate_limit_exceeded"}}',
    '429 {"type":"error","error":{"type":"rate_limit_error","message":"Extra usage is required for'
    ' long context requests."}}',
    "429 prompt is too long: slow down",
    "Error code: 429 - the context window of your plan is used up",
    "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
    "ThrottlingException: Too many tokens, please wait before trying again.",
    "Too many requests",
    "Number of request tokens has exceeded your per-minute rate limit",
    "You exceeded your current quota, please check your plan and billing details.",
    "RESOURCE_EXHAUSTED: input token count exceeds the free tier",
    "This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens,"
    " but can only afford 4096.",
    "Insufficient balance",
    '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    # The answer that was asked for
    "max_tokens: 30000 > 16000, which is the maximum allowed number of output tokens",
    "max_tokens is too large: 32768. This model supports at most 16384 completion tokens, whereas"
    " you provided 32768.",
    "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
    "max_completion_tokens is not valid: expected a value <= 8192, but got 32000 instead",
    "'max_tokens' is too large: 32000. This model's maximum context length is 32768 tokens and"
    " your request has 1200 input tokens (32000 > 32768 - 1200).",
    "`max_tokens` must be greater than `thinking.budget_tokens`",
    # Characters
    "Invalid 'input': string too long. Expected a string with maximum length 1048576, but got a"
    " string with length 1234567 instead.",
    "prompt is too long (max 10000 characters)",
    # Anything else
    "",
    "Invalid API Key provided.",
    "messages: roles must alternate between user and assistant",
    "tool_use ids were found without tool_result blocks",
    "The context is large, but acceptable.",
    "Too many tokens",
    "400 status code (no body)",
    "Connection reset by peer",
    "500 Internal Server Error",
]

REFUSED_MEDIA = [
    (
        '413 {"type":"error","error":{"type":"request_too_large","message":"Request exceeds the'
        ' maximum size"}}',
        MediaLimit.BODY,
    ),
    ("Request exceeds the maximum allowed number of bytes", MediaLimit.BODY),
    ("413 Request Entity Too Large", MediaLimit.BODY),
    ("413 Payload Too Large", MediaLimit.BODY),
    ("Request payload size exceeds the limit: 20971520 bytes.", MediaLimit.BODY),
    ("Too many images in request. Maximum is 50.", MediaLimit.BODY),
    ("At most 5 images may be provided in one request", MediaLimit.BODY),
    (
        "messages.3.content.1.image.source.base64: image exceeds 5 MB maximum: 5283072 bytes >"
        " 5242880 bytes",
        MediaLimit.PICTURE,
    ),
    (
        "messages.8.content.0.image.source.base64.data: At least one of the image dimensions exceed"
        " max allowed size for many-image requests: 2000 pixels",
        MediaLimit.PICTURE,
    ),
    ("A maximum of 100 PDF pages may be provided.", MediaLimit.PICTURE),
]
"""Requests refused for their media or their bytes, each with what was too large."""
