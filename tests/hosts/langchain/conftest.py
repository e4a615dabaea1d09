"""Agents whose database is closed at the end of the test."""

from collections.abc import Generator
from pathlib import Path

import pytest

from support.langchain_agents import Agent
from support.threads import leaves_no_thread


@pytest.fixture(params=["blocking", "awaited"])
def agent(tmp_path: Path, request: pytest.FixtureRequest) -> Generator[Agent]:
    with leaves_no_thread():
        made = Agent(tmp_path, is_awaited=request.param == "awaited")
        yield made
        made.middleware.close()
