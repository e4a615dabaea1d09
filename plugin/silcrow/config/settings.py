"""Every setting, its type and its default; docs/settings.md says what each of them does."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator

from silcrow.config.checks import (
    AUTO,
    check_ages,
    check_path,
    check_share,
    check_texts,
    check_tool_counts,
    check_tool_kinds,
    check_tool_names,
    check_ttl,
    number_above_zero,
    whole_number,
)
from silcrow.config.per_model import per_model, resolve, split_keys
from silcrow.hooks.tool_kinds import ToolKind

DEFAULT_AGES: Mapping[ToolKind, int] = {
    ToolKind.SHELL: 10,
    ToolKind.SEARCH: 10,
    ToolKind.SHELL_READ: 20,
    ToolKind.READ: 30,
    ToolKind.EDIT: 80,
    ToolKind.TODO: 20,
    ToolKind.AGENT: 20,
    ToolKind.ANSWER: 20,
    ToolKind.OTHER: 20,
}
DEFAULT_PROTECTED_TOOLS: Mapping[str, int] = {"todowrite": 1, "ctx_reduce": 3}
DEFAULT_ANSWER_TOOLS = ("question", "ask_user", "askuserquestion", "clarify", "request_user_input")


def _add_ages(value: object) -> dict[ToolKind, int]:
    return {**DEFAULT_AGES, **check_ages(value)}


def _add_tool_counts(value: object) -> dict[str, int]:
    return {**DEFAULT_PROTECTED_TOOLS, **check_tool_counts(value)}


def _add_answer_tools(value: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*DEFAULT_ANSWER_TOOLS, *check_tool_names(value))))


Size = Annotated[int, BeforeValidator(whole_number(0))]
SizeOrAuto = Annotated[int | Literal["auto"], BeforeValidator(whole_number(1, AUTO))]
WindowPerModel = Annotated[
    int | Literal["auto"] | Mapping[str, int | Literal["auto"]],
    BeforeValidator(per_model(whole_number(1, AUTO), AUTO)),
]
ReservePerModel = Annotated[
    int | Literal["auto"] | Mapping[str, int | Literal["auto"]],
    BeforeValidator(per_model(whole_number(0, AUTO), AUTO)),
]
WorkingWindowPerModel = Annotated[
    int | Literal["auto", "max"] | Mapping[str, int | Literal["auto", "max"]],
    BeforeValidator(per_model(whole_number(1, AUTO, "max"), AUTO)),
]
TtlPerModel = Annotated[
    int | Literal["auto", "never"] | Mapping[str, int | Literal["auto", "never"]],
    BeforeValidator(per_model(check_ttl, AUTO)),
]
SharePerModel = float | Mapping[str, float]
DaysOrOff = Annotated[int | Literal["off"], BeforeValidator(whole_number(1, "off", unit="days"))]
GigabytesOrOff = Annotated[
    float | Literal["off"], BeforeValidator(number_above_zero("off", unit="gigabytes"))
]
Factor = Annotated[float, BeforeValidator(number_above_zero(unit="a factor"))]
Texts = Annotated[tuple[str, ...], BeforeValidator(check_texts)]
ToolNames = Annotated[tuple[str, ...], BeforeValidator(check_tool_names)]


class Section(BaseModel):
    """A table of settings: it cannot be changed, and knows no keys but its own."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class CtxReduce(Section):
    enabled: bool = True


class Permit(Section):
    payback: bool = False
    min_gain: SizeOrAuto = AUTO


class Payback(Section):
    factor: Factor = 3.0


class Protection(Section):
    """`tools` and `answer_tools` add to the defaults; 0 takes a tool's protection away."""

    tokens: SizeOrAuto = AUTO
    tools: Annotated[Mapping[str, int], BeforeValidator(_add_tool_counts)] = DEFAULT_PROTECTED_TOOLS
    files: Texts = ()
    answer_tools: Annotated[tuple[str, ...], BeforeValidator(_add_answer_tools)] = (
        DEFAULT_ANSWER_TOOLS
    )


class Age(Section):
    """`tags` adds to the defaults."""

    enabled: bool = True
    min_tokens: Size = 100
    tags: Annotated[Mapping[ToolKind, int], BeforeValidator(_add_ages)] = DEFAULT_AGES


class Reasoning(Section):
    keep_tokens: Size = 10_000


class Markers(Section):
    assistant: bool | Literal["auto"] = AUTO


class Sources(Section):
    retention_days: DaysOrOff = "off"
    max_db_gb: GigabytesOrOff = "off"
    exclude_tools: ToolNames = ()


class Storage(Section):
    path: Annotated[Path | Literal["auto"], BeforeValidator(check_path)] = AUTO


class Tools(Section):
    kinds: Annotated[Mapping[str, ToolKind], BeforeValidator(check_tool_kinds)] = {}


class Settings(Section):
    """All settings of a session. "auto" leaves a value to the model, the host or the window."""

    enabled: bool = True
    ctx_reduce: CtxReduce = CtxReduce()
    cache_ttl: TtlPerModel = AUTO
    context_window: WindowPerModel = AUTO
    output_reserve: ReservePerModel = AUTO
    working_window: WorkingWindowPerModel = AUTO
    execute_at: Annotated[SharePerModel, BeforeValidator(per_model(check_share, 0.65))] = 0.65
    force_at: Annotated[SharePerModel, BeforeValidator(per_model(check_share, 0.85))] = 0.85
    emergency_at: Annotated[SharePerModel, BeforeValidator(per_model(check_share, 0.95))] = 0.95
    permit: Permit = Permit()
    payback: Payback = Payback()
    protection: Protection = Protection()
    age: Age = Age()
    dedup: bool = False
    reasoning: Reasoning = Reasoning()
    markers: Markers = Markers()
    sources: Sources = Sources()
    storage: Storage = Storage()
    tools: Tools = Tools()

    @model_validator(mode="after")
    def _bands_rise(self) -> Self:
        bands = (self.execute_at, self.force_at, self.emergency_at)
        for provider, model in split_keys(bands):
            execute, force, emergency = (resolve(band, provider, model) for band in bands)
            if not execute < force < emergency:
                whose = "" if model == "?" else f' for "{model}"'
                raise ValueError(
                    f"execute_at ({execute}), force_at ({force}) and emergency_at ({emergency})"
                    f"{whose} must rise in this order; change one of them"
                )
        return self


def setting_keys(section: type[BaseModel] = Settings, prefix: str = "") -> tuple[str, ...]:
    """The dotted key of every setting, in the order of this file."""
    keys: list[str] = []
    for name, field in section.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, Section):
            keys.extend(setting_keys(kind, f"{prefix}{name}."))
        else:
            keys.append(prefix + name)
    return tuple(keys)
