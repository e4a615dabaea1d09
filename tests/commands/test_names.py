"""Facts about the table of commands, from which hosts register them."""

import pytest

from silcrow.commands.names import COMMANDS, read_name, refuse_argument, unknown_command


@pytest.mark.parametrize("name", ["ctx-nothing", "/ctx-nothing", " ctx-nothing "])
def test_an_unknown_command_is_told_which_there_are(name: str) -> None:
    assert unknown_command(name) == (
        "There is no command /ctx-nothing; Silcrow has /ctx-status, /ctx-flush, /ctx-drop, "
        "/ctx-restore, /ctx-pin, /ctx-unpin, /ctx-off and /ctx-on."
    )


def test_an_odd_name_makes_no_odd_answer() -> None:
    assert len(unknown_command("\x1b" + "x" * 9_000)) < 200


@pytest.mark.parametrize("name", ["/ctx-pin", "CTX-PIN", "  ctx-pin\n"])
def test_a_name_is_known_however_it_is_written(name: str) -> None:
    assert read_name(name) in COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_a_host_can_register_each_command(name: str) -> None:
    command = COMMANDS[name]
    assert command.name == name and name.startswith("ctx-")
    assert "\n" not in command.description and 0 < len(command.description) <= 80


@pytest.mark.parametrize(
    ("name", "argument", "refused"),
    [
        ("ctx-off", "", False),
        ("ctx-off", "  ", False),
        ("ctx-off", "now", True),
        ("ctx-flush", "ALL", False),
        ("ctx-flush", "now", True),
        ("ctx-status", "json", False),
        ("ctx-status", "xml", True),
        ("ctx-drop", "anything", False),
        ("ctx-pin", "anything", False),
    ],
)
def test_a_command_is_given_only_what_it_takes(name: str, argument: str, refused: bool) -> None:
    assert (refuse_argument(COMMANDS[name], argument) is not None) is refused


def test_a_refusal_names_the_word_that_a_command_knows() -> None:
    refusal = refuse_argument(COMMANDS["ctx-flush"], "everything")
    assert refusal == "/ctx-flush takes no argument but all. Nothing was changed."
