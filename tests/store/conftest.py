"""An open store on a file of its own."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from silcrow.store.store import Store


@pytest.fixture
async def store(tmp_path: Path) -> AsyncGenerator[Store]:
    async with Store.open(tmp_path / "context.db") as store:
        yield store
