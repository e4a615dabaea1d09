"""Facts about how the options of a simulation and the settings meet."""

from typing import Any

import pytest

from silcrow.config.settings import Settings
from silcrow.simulator.options import SimulationOptions


@pytest.mark.parametrize("by_user", ["auto", 500_000])
def test_a_window_that_an_option_gives_is_the_users_word(by_user: Any) -> None:
    settings = SimulationOptions(window=60_000).adapt(Settings(context_window=by_user))
    assert settings.context_window == 60_000


def test_without_the_option_the_window_of_the_settings_holds() -> None:
    assert SimulationOptions().adapt(Settings(context_window=90_000)).context_window == 90_000
