"""What a person may ask of a simulation."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from silcrow.errors import SettingsError

if TYPE_CHECKING:  # the command line needs the options for its help, and not pydantic
    from silcrow.config.settings import Settings


class AgentDrops(StrEnum):
    """Whether the recorded agent is made to use `ctx_reduce`, which it did not know."""

    NEVER = "never"
    ORACLE = "oracle"


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationOptions:
    """How recordings are run. None leaves a value to the recording and the model table.

    `from_pass` and `until_pass` run only these passes, the first on a database that holds all
    passes before it.
    """

    window: int | None = None
    ttl_seconds: float | None = None
    offers_ctx_reduce: bool = True
    agent_drops: AgentDrops = AgentDrops.NEVER
    from_pass: int = 1
    until_pass: int | None = None

    def check(self) -> None:
        """Raise SettingsError where two options exclude each other."""
        if self.agent_drops is AgentDrops.ORACLE and not self.offers_ctx_reduce:
            raise SettingsError(
                "--agent-drops oracle needs the tool that --no-reduce takes away; "
                "leave one of the two out"
            )
        if self.until_pass is not None and self.until_pass < self.from_pass:
            raise SettingsError(
                f"--until-pass {self.until_pass} lies before --from-pass {self.from_pass}"
            )

    def adapt(self, settings: "Settings") -> "Settings":
        """The settings of the run: what an option gives is not overruled by a settings file."""
        changes: dict[str, object] = {}
        if self.window is not None:
            # As a setting, since a request that a recording shows as accepted would raise another.
            changes["context_window"] = self.window
        if self.ttl_seconds is not None:
            changes["cache_ttl"] = "auto"
        return settings.model_copy(update=changes)
