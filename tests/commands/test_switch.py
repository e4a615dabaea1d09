"""Facts about the replies to `/ctx-off` and `/ctx-on`."""

import pytest

from silcrow.commands.switch import render_off, render_on


def test_off_says_what_stays_and_how_to_switch_on() -> None:
    text = render_off(was_off=False, off_in_settings=False)
    assert "What is dropped stays dropped" in text and "/ctx-on" in text


def test_a_second_off_says_that_nothing_changed() -> None:
    assert "already; nothing was changed" in render_off(was_off=True, off_in_settings=False)


def test_on_says_what_became_of_the_parts_in_between() -> None:
    assert "without a marker" in render_on(was_off=True, off_in_settings=False)


def test_a_second_on_says_that_nothing_changed() -> None:
    assert "already; nothing was changed" in render_on(was_off=False, off_in_settings=False)


@pytest.mark.parametrize("was_off", [True, False])
def test_the_settings_decide_and_both_replies_say_so(was_off: bool) -> None:
    for render in (render_off, render_on):
        assert "switched off in the settings" in render(was_off=was_off, off_in_settings=True)
