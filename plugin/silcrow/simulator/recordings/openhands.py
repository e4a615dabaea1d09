"""Reads the conversations of the OpenHands SDK, packed: the base state, then one event a line."""

from typing import Any

from pydantic import BaseModel

from silcrow.simulator.recordings.call_log import Answer, CallLog
from silcrow.simulator.recordings.json_lines import JsonLines
from silcrow.simulator.recordings.openhands_events import Event, read_event, system_text
from silcrow.simulator.recordings.openhands_view import View
from silcrow.simulator.recordings.recording import RecordedUsage, Recording

HOST = "openhands"


class _Usage(BaseModel):
    response_id: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


class _Metrics(BaseModel):
    token_usages: list[_Usage] = []


class _Stats(BaseModel):
    service_to_metrics: dict[str, _Metrics] = {}
    usage_to_metrics: dict[str, _Metrics] = {}


class _BaseState(BaseModel):
    class Agent(BaseModel):
        class Llm(BaseModel):
            model: str = ""
            service_id: str | None = None
            usage_id: str | None = None

        llm: Llm = Llm()

    id: str
    agent: Agent = Agent()
    stats: _Stats = _Stats()

    @property
    def usages(self) -> dict[str, _Usage]:
        """The usage of the agent's own calls by response; other services are not the agent."""
        service = self.agent.llm.usage_id or self.agent.llm.service_id or "default"
        found = {**self.stats.service_to_metrics, **self.stats.usage_to_metrics}.get(service)
        return {one.response_id: one for one in found.token_usages} if found else {}


def is_openhands(lines: JsonLines) -> bool:
    """Tell by the first line, which holds the base state alone."""
    return isinstance(lines.lines[0].value.get("base_state"), dict)


def read_openhands(lines: JsonLines) -> tuple[Recording, ...]:
    """Return the one conversation of the file."""
    first = lines.lines[0]
    state = lines.parse(_BaseState, first, first.value["base_state"])
    walk = _Walk(lines, state)
    recording = Recording(
        session=state.id,
        host=HOST,
        message_format="openai_chat",
        system=walk.system,
        tools=walk.tools,
        calls=walk.log.calls,
    )
    return (recording,)


class _Walk:
    """Goes through the events, with the view as it stands at each."""

    def __init__(self, lines: JsonLines, state: _BaseState) -> None:
        self.log = CallLog()
        self.system: str | None = None
        self.tools: tuple[dict[str, Any], ...] | None = None
        self._lines = lines
        self._usages = state.usages
        # A proxy in front is no provider: cache and limits are those of the one behind it.
        name = state.agent.llm.model.removeprefix("litellm_proxy/")
        self._provider, _, self._model = name.rpartition("/")
        self._view = View()
        self._answered: set[str] = set()
        self._known: set[str] = set()
        self._newest = float("-inf")
        for line in lines.lines[1:]:
            event = read_event(lines, line)
            # A conversation that went on elsewhere may hold earlier events again.
            if event is not None and event.id not in self._known:
                self._known.add(event.id)
                self._visit(line.number, event)

    def _visit(self, number: int, event: Event) -> None:
        if event.kind == "SystemPromptEvent":
            self.system = system_text(event)
            self.tools = None if event.tools is None else tuple(event.tools)
        if event.is_answer and event.response not in self._answered:
            self._answered.add(event.response)
            messages, ids = self._view.request()
            if not messages:
                raise self._lines.error(number, "an answer stands before any user message")
            self.log.add(self._answer(event), messages, ids)
        self._view.add(event)
        self._newest = event.at

    def _answer(self, event: Event) -> Answer:
        usage = self._usages.get(event.response)
        return Answer(
            requested_at=self._newest,
            answered_at=event.at,
            provider=self._provider,
            model=self._model,
            usage=None if usage is None else _recorded(usage),
        )


def _recorded(usage: _Usage) -> RecordedUsage:
    """`prompt_tokens` holds what was read from the cache, and not what was written to it."""
    return RecordedUsage(
        input=usage.prompt_tokens - usage.cache_read_tokens,
        cache_read=usage.cache_read_tokens,
        cache_write=usage.cache_write_tokens,
        output=usage.completion_tokens,
    )
