"""Tool definitions and system prompt as units: their digests, and what they cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from silcrow.formats.native import copy_containers, list_of, mapping_of, text_of, without_transport
from silcrow.hooks.canonical import canonical_json, sha256
from silcrow.hooks.conversation import CountTokens, Message
from silcrow.hooks.facts import PassFacts, Purpose
from silcrow.hooks.state import HeadDigests, SessionRecord
from silcrow.hooks.tool_kinds import normalise_tool_name

CTX_REDUCE = "ctx_reduce"
SYSTEM_ROLES = frozenset({"system", "developer"})
_NO_TOOLS = sha256(canonical_json([])).hex()


@dataclass(slots=True)
class HeadReader:
    """Reads the head of a session's requests and remembers the last one, which rarely changes."""

    _tools: Any = None
    _system: Any = None
    _tools_found: tuple[str, int] = ("", 0)
    _system_found: tuple[str, int] = ("", 0)

    def read(self, facts: PassFacts, record: SessionRecord, count: CountTokens) -> HeadDigests:
        """The digests of this request. What was once seen stays seen; tokens count what is seen."""
        tools, tool_tokens = record.tools_digest, 0
        system, system_tokens = record.system_digest, 0
        if facts.tools is not None:
            tools, tool_tokens = self._read_tools(facts.tools, count)
        elif facts.tools_hash is not None:
            tools = facts.tools_hash
        if facts.system is not None:
            system, system_tokens = self._read_system(facts.system, count)
        elif facts.system_hash is not None:
            system = facts.system_hash
        return HeadDigests(tools=tools, system=system, tokens=tool_tokens + system_tokens)

    @property
    def seen_tokens(self) -> tuple[int | None, int | None]:
        """What tools and system prompt cost where they were last seen; None for what never was."""
        found = (self._tools_found, self._system_found)
        tools, system = (tokens if digest else None for digest, tokens in found)
        return tools, system

    def _read_tools(self, tools: Any, count: CountTokens) -> tuple[str, int]:
        if not self._tools_found[0] or self._tools != tools:
            text = canonical_json([without_transport(tool) for tool in tools])
            self._tools = copy_containers(tools)
            self._tools_found = (sha256(text).hex(), count(text) if tools else 0)
        return self._tools_found

    def _read_system(self, system: Any, count: CountTokens) -> tuple[str, int]:
        if not self._system_found[0] or self._system != system:
            text = system if isinstance(system, str) else _system_json(system)
            self._system = copy_containers(system)
            self._system_found = (sha256(text).hex(), count(text))
        return self._system_found


def _system_json(system: Sequence[Mapping[str, Any]]) -> str:
    return canonical_json([without_transport(part) for part in system])


def is_head_counted(facts: PassFacts, messages: Sequence[Message]) -> bool:
    """Whether all that stands before the conversation is shown, and not only known by its hash.

    In some formats the system prompt is the first message.
    """
    has_system = bool(messages) and messages[0].role in SYSTEM_ROLES
    return facts.tools is not None and (facts.system is not None or has_system)


def find_purpose(facts: PassFacts, record: SessionRecord) -> Purpose:
    """What the host says; else a request without tools is side, where the main ones carry some.

    Tools that the host does not show are not tools that are not there.
    """
    if facts.purpose is not None:
        return Purpose(facts.purpose)
    carries = facts.tools is None or len(facts.tools) > 0 or facts.tools_hash is not None
    main_carries = record.tools_digest not in (None, _NO_TOOLS)
    return Purpose.SIDE if main_carries and not carries else Purpose.MAIN


def offers_ctx_reduce(facts: PassFacts) -> bool | None:
    """Whether the model is given the tool, read from the definitions unless the host says so;
    None where nobody shows it."""
    if facts.offers_ctx_reduce is not None or facts.tools is None:
        return facts.offers_ctx_reduce
    names = (name for tool in facts.tools for name in tool_names(tool))
    return any(normalise_tool_name(name) == CTX_REDUCE for name in names)


def tool_names(definition: Mapping[str, Any]) -> list[str]:
    """The names in a tool definition of any format: Gemini's holds a list of declarations."""
    nested = definition.get("functionDeclarations") or definition.get("function_declarations")
    found = [mapping_of(one) or {} for one in list_of(nested)]
    if not found:
        found = [mapping_of(definition.get("function")) or definition]
    return [text_of(one.get("name")) for one in found]
