"""The request as it goes on to the model: messages, an addition to the system prompt, options."""

from collections.abc import Mapping, Sequence
from typing import Any

from langchain.agents.middleware import ModelRequest
from langchain_core.messages import AnyMessage, SystemMessage

from silcrow.formats.native import list_of, mapping_of
from silcrow.session.outcome import CallResult

BETA_HEADER = "anthropic-beta"


def write_request(
    request: "ModelRequest[Any]", messages: list[AnyMessage], result: CallResult
) -> "ModelRequest[Any]":
    """A new request; the given one stays as it is, and is returned if there is nothing to change.

    Same request and result, same bytes.
    """
    overrides: dict[str, Any] = {}
    if not _are_same(messages, request.messages):
        overrides["messages"] = messages
    if result.system_append:
        overrides["system_message"] = _append(request.system_message, result.system_append)
    if result.request_options:
        overrides |= _write_options(request, result.request_options)
    return request.override(**overrides) if overrides else request


def _are_same(messages: Sequence[object], others: Sequence[object]) -> bool:
    return len(messages) == len(others) and all(map(lambda a, b: a is b, messages, others))


def _append(message: SystemMessage | None, text: str) -> SystemMessage:
    if message is None:
        return SystemMessage(content=text)
    content: Any = message.content
    if isinstance(content, str):
        return message.model_copy(update={"content": f"{content}\n\n{text}" if content else text})
    block = {"type": "text", "text": text}
    return message.model_copy(update={"content": [*list_of(content), block]})


def _write_options(request: "ModelRequest[Any]", options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of Anthropic's body as `ChatAnthropic` takes them; what the user set wins.

    It takes the beta header as `betas`, and where the model object has a `thinking` of its own,
    that one and not the setting is sent.
    """
    settings = dict(request.model_settings)
    headers = mapping_of(options.get("headers")) or {}
    asked = [beta.strip() for beta in str(headers.get(BETA_HEADER, "")).split(",") if beta.strip()]
    if asked:
        betas = list_of(settings.get("betas") or getattr(request.model, "betas", None))
        settings["betas"] = [*betas, *(beta for beta in asked if beta not in betas)]
    body = {key: value for key, value in options.items() if key != "headers"}
    update: dict[str, Any] = {}
    for key, value in body.items():
        own = getattr(request.model, key, None)
        if mapping_of(own) is not None:
            update[key] = _merge(value, own)
        else:
            settings[key] = _merge(value, settings.get(key))
    overrides: dict[str, Any] = {"model_settings": settings}
    if update:
        overrides["model"] = request.model.model_copy(update=update)
    return overrides


def _merge(default: Any, own: Any) -> Any:
    """Key by key, all the way down; what the request says itself wins."""
    given, ours = mapping_of(own), mapping_of(default)
    if given is None or ours is None:
        return default if own is None else own
    return {**given, **{key: _merge(value, given.get(key)) for key, value in ours.items()}}
