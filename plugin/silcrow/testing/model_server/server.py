"""The server itself: loopback only, one thread for each connection."""

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from silcrow.testing.model_server.anthropic import Anthropic
from silcrow.testing.model_server.api import Api, Event
from silcrow.testing.model_server.desk import Desk, Served
from silcrow.testing.model_server.openai_chat import OpenAIChat
from silcrow.testing.model_server.openai_responses import OpenAIResponses
from silcrow.testing.model_server.replies import Step
from silcrow.testing.model_server.requests import Received, without_secrets

APIS: Mapping[str, Api] = {
    "/messages": Anthropic(),
    "/chat/completions": OpenAIChat(),
    "/responses": OpenAIResponses(),
}
"""By the end of the path; what stands in front of it (`/v1`, `/api/v1`) is the client's matter."""


class ModelServer:
    """Speaks Anthropic Messages, OpenAI chat completions and OpenAI responses on 127.0.0.1.

    `answers` is a script, which is used up step by step, or a function that sees each request and
    says what comes back. A body that the provider would refuse gets status 400, with what is wrong
    in the provider's words, and uses up nothing. Every body is kept in `received`, and written to
    the file `bodies` as lines of JSON, never with a key or cookie. `binds` says which models bind
    reasoning to what stands before it; `context_window` is in tokens as the server counts them,
    and `ttl_seconds` the lifetime of its prompt cache by `clock`.

        with ModelServer([Reply(text="Hello.")]) as server:
            client = Anthropic(base_url=server.url, api_key="none")
    """

    def __init__(
        self,
        answers: Sequence[Step] | Callable[[Received], Step],
        *,
        bodies: Path | None = None,
        binds: Callable[[str], bool] = lambda model: False,
        context_window: int | None = None,
        ttl_seconds: float = 300.0,
        clock: Callable[[], float] = time.monotonic,
        port: int = 0,
    ) -> None:
        self._desk = Desk(
            answers,
            bodies=bodies,
            binds=binds,
            context_window=context_window,
            ttl_seconds=ttl_seconds,
            clock=clock,
        )
        self._http = ThreadingHTTPServer(("127.0.0.1", port), partial(_Handler, self._desk))
        self._http.daemon_threads = True
        self._thread = threading.Thread(
            target=self._http.serve_forever, args=(0.05,), name="model-server", daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Where it listens: `http://127.0.0.1:PORT`. OpenAI's clients want `/v1` behind it."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def received(self) -> Sequence[Received]:
        """Every request so far, refused ones too, in the order of arrival."""
        return self._desk.received

    @property
    def faults(self) -> list[str]:
        """Why requests were refused as illegal; empty if all of them were fit to send."""
        return [one.fault for one in self._desk.received if one.fault]

    @property
    def is_used_up(self) -> bool:
        """Whether every step of the script has been answered; false for a function."""
        return self._desk.is_used_up

    def wait(self) -> None:
        """Until the server is closed or the process is interrupted."""
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, desk: Desk, *given: Any) -> None:
        self._desk = desk
        super().__init__(*given)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged: what was asked is in `received`."""

    def do_GET(self) -> None:
        if self.path.rstrip("/").endswith("/models"):
            self._say(200, {"object": "list", "data": []})
        else:
            self._say(404, {"error": {"message": f"no such path: {self.path}"}})

    def do_POST(self) -> None:
        path = self.path.partition("?")[0]
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        api = next((api for end, api in APIS.items() if path.endswith(end)), None)
        if api is None:
            self._say(404, {"error": {"message": f"no such path: {path}"}})
            return
        try:
            body: Any = json.loads(text)
        except ValueError:
            body = None
        headers = without_secrets(dict(self.headers.items()))
        served = self._desk.serve(api, path, body, headers)
        with suppress(BrokenPipeError, ConnectionResetError):  # the client has gone
            self._send(served)

    def _send(self, served: Served) -> None:
        if served.events is None:
            self._say(served.status, served.body, served.headers)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("Connection", "close")  # a client leaves nothing open behind its answer
        self.end_headers()
        for number, event in enumerate(served.events):
            if number == served.cut_after:
                self.close_connection = True
                return
            line = _to_line(event)
            self.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def _say(
        self, status: int, body: Mapping[str, Any], headers: Mapping[str, str] | None = None
    ) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.send_header("Connection", "close")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)


def _to_line(event: Event) -> bytes:
    name, data = event
    text = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()
