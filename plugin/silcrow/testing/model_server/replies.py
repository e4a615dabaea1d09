"""What a scripted model answers, as values that a file may hold as well."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Discriminator, Tag, TypeAdapter, ValidationError

from silcrow.errors import SilcrowError


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Call(_Value):
    """One call of a tool. Without an `id` the server gives it one that it never gives again."""

    name: str
    arguments: Mapping[str, Any] = {}
    id: str = ""


class Reply(_Value):
    """One answer of the model: reasoning, text and calls, in this order; each may be missing.

    `thought` None is no reasoning at all, an empty one is reasoning of which only the signature is
    told. `cut_after` breaks the connection after so many events of the stream. `when` keeps the
    answer for a request whose newest user text holds it, such as one for a title.
    """

    text: str = ""
    thought: str | None = None
    calls: tuple[Call, ...] = ()
    cut_after: int | None = None
    when: str = ""


class Failure(_Value):
    """An error instead of an answer: HTTP status and the provider's own sentence. `when` as in
    Reply."""

    status: int
    message: str
    type: str = "invalid_request_error"
    retry_after: float | None = None
    when: str = ""


def _kind(value: Any) -> str:
    if isinstance(value, Reply | Failure):
        return "failure" if isinstance(value, Failure) else "reply"
    return "failure" if "status" in value else "reply"


Step = Reply | Failure
_STEPS: TypeAdapter[tuple[Step, ...]] = TypeAdapter(
    tuple[
        Annotated[
            Annotated[Reply, Tag("reply")] | Annotated[Failure, Tag("failure")],
            Discriminator(_kind),
        ],
        ...,
    ]
)


def read_script(path: Path) -> Sequence[Step]:
    """The answers of a script file, a JSON list of objects. Raises SilcrowError."""
    try:
        return _STEPS.validate_json(path.read_bytes())
    except OSError as error:
        raise SilcrowError(f"the script {path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise SilcrowError(
            f"the script {path} is no list of replies: {place}: {first['msg']}"
        ) from error
