"""What one request leads to: judged, counted, kept, and answered by the script."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from silcrow.testing.model_server.api import Answer, Api, Event, MadeCall
from silcrow.testing.model_server.json_shapes import Json, as_object, as_objects, as_text
from silcrow.testing.model_server.prefix_cache import PrefixCache, count_tokens
from silcrow.testing.model_server.replies import Call, Failure, Reply, Step
from silcrow.testing.model_server.requests import Received, Usage
from silcrow.testing.model_server.seals import Seals

_ILLEGAL = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What goes back: a body, or the events of a stream, of which only the first `cut_after` are
    sent before the connection breaks."""

    status: int = 200
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    events: Iterator[Event] | None = None
    cut_after: int | None = None


class Desk:
    """The server without its socket. Any thread may ask; they take turns."""

    def __init__(
        self,
        answers: Sequence[Step] | Callable[[Received], Step],
        *,
        bodies: Path | None,
        binds: Callable[[str], bool],
        context_window: int | None,
        ttl_seconds: float,
        clock: Callable[[], float],
    ) -> None:
        self.received: list[Received] = []
        self._script = None if callable(answers) else list(answers)
        self._decide = answers if callable(answers) else self._next_step
        self._bodies = bodies
        self._binds = binds
        self._context_window = context_window
        self._clock = clock
        self._cache = PrefixCache(ttl_seconds, clock)
        self._seals = Seals()
        self._turn = threading.Lock()
        self._calls_made = 0

    @property
    def is_used_up(self) -> bool:
        return self._script is not None and not self._script

    def serve(self, api: Api, path: str, body: Any, headers: Mapping[str, str]) -> Served:
        """Answer one request, and keep it."""
        with self._turn:
            one = Received(
                number=len(self.received) + 1,
                path=path,
                api=api.name,
                body=as_object(body),
                headers=headers,
                at=self._clock(),
            )
            self.received.append(one)
            step = self._judge(api, one, body) or self._decide(one)
            if isinstance(step, Failure):
                served = self._refuse(api, one, step)
            else:
                served = self._answer(api, one, step)
            if self._bodies is not None:
                with self._bodies.open("a") as file:
                    file.write(one.to_line() + "\n")
            return served

    def _judge(self, api: Api, one: Received, body: Any) -> Failure | None:
        """Why the provider would refuse it, if it would; the first fault is the one it names."""
        if not isinstance(body, dict):
            one.fault = "the body is not a JSON object"
        else:
            binds = self._binds(as_text(one.body.get("model"))) and not _drops_bound(one.body)
            sealed = list(api.sealed(one.body))
            faults = [*api.faults(one.body)]
            if not faults:
                faults += self._seals.faults(sealed, api.units(one.body), binds=binds)
            one.fault = next(iter(faults), "")
        if one.fault:
            return Failure(status=_ILLEGAL, message=one.fault)
        tokens = count_tokens(api.units(one.body))
        if self._context_window is not None and tokens > self._context_window:
            limit = self._context_window
            return Failure(
                status=_ILLEGAL,
                message=f"prompt is too long: {tokens} tokens > {limit} maximum",
            )
        return None

    def _next_step(self, one: Received) -> Step:
        """The first step that may answer this request; it is used up."""
        script = self._script or []
        asked = newest_user_text(one.body)
        named = [n for n, step in enumerate(script) if step.when and step.when in asked]
        place = next(iter([*named, *(n for n, step in enumerate(script) if not step.when)]), None)
        if place is None:
            return Failure(
                status=500,
                type="api_error",
                message=f"the script has no answer left for request {one.number}",
            )
        return script.pop(place)

    def _refuse(self, api: Api, one: Received, failure: Failure) -> Served:
        one.status = failure.status
        wait = failure.retry_after
        headers = {} if wait is None else {"retry-after": f"{wait:g}"}
        return Served(status=failure.status, body=api.refusal(failure), headers=headers)

    def _answer(self, api: Api, one: Received, reply: Reply) -> Served:
        body, units = one.body, api.units(one.body)
        model = as_text(body.get("model"))
        cached, written = self._cache.read(model, units, api.cacheable(body))
        calls = [self._make_call(call) for call in reply.calls]
        said = [reply.thought or "", reply.text, *(call.arguments for call in calls)]
        one.usage = Usage(
            prompt=max(count_tokens(units), cached + written),
            cached=cached,
            written=written,
            answer=max(1, count_tokens(said)),
        )
        seal = "" if reply.thought is None else self._seals.give(one.number, reply.thought, units)
        answer = Answer(
            number=one.number,
            model=model,
            thought=reply.thought,
            signature=seal,
            text=reply.text,
            calls=calls,
            usage=one.usage,
        )
        if not body.get("stream"):
            return Served(body=api.answer(answer), headers={})
        events = api.events(answer, body)
        return Served(body={}, headers={}, events=events, cut_after=reply.cut_after)

    def _make_call(self, call: Call) -> MadeCall:
        self._calls_made += 1
        named = call if call.id else call.model_copy(update={"id": f"call_{self._calls_made:06d}"})
        return MadeCall(named.id, named.name, json.dumps(dict(named.arguments)))


def newest_user_text(body: Json) -> str:
    """The text of the last message of a user's, results left out."""
    given = body.get("messages", body.get("input"))
    if isinstance(given, str):
        return given
    for message in reversed(as_objects(given)):
        if message.get("role") != "user":
            continue
        content = message.get("content")
        texts = [as_text(block.get("text")) for block in as_objects(content)]
        text = content if isinstance(content, str) else "\n".join(filter(None, texts))
        if text:
            return text
    return ""


def _drops_bound(body: Json) -> bool:
    """Whether the request asks to leave out reasoning whose prefix has changed."""
    binding = as_object(as_object(body.get("thinking")).get("block_binding"))
    return binding.get("prefix_mismatch_behavior") == "drop_block"
