"""Facts about one plugin that blocks, called from four threads at once."""

from silcrow.config.settings import Settings
from silcrow.hooks.facts import Usage
from silcrow.session import SyncContextPlugin
from silcrow.session.outcome import CallResult
from support.deltas import rows
from support.four_threads import THREADS, run_threads
from support.native_messages import model, user
from support.plugin_session import PluginSession, database_of
from support.threads import leaves_nothing_open

ROUNDS = 12


def make_session(name: str = "s") -> PluginSession:
    """One that only keeps a list and its facts; it needs no plugin."""
    return PluginSession(None, name)  # type: ignore[arg-type]  # nothing here sends by itself


def send(plugin: SyncContextPlugin, session: PluginSession) -> CallResult:
    sent = plugin.before_model_call(session.name, session.natives, session.make_facts())
    session.now += 1
    plugin.after_model_call(
        session.name,
        usage=Usage(input=100),
        at=session.now,
        pass_number=sent.report.pass_number,
    )
    return sent


def test_every_kind_of_call_from_four_threads_is_answered(settings: Settings) -> None:
    """All of one session: passes, tools and commands, in whatever order they come."""
    with leaves_nothing_open(database_of(settings).parent):
        with SyncContextPlugin.open(settings) as plugin:

            def work(name: str) -> None:
                session = make_session()
                for turn in range(ROUNDS):
                    session.add(user(f"{name} asks {turn}."), model(f"{name} says {turn}."))
                    session.ids = [f"{name}{index}" for index in range(len(session.natives))]
                    session.add(user("And?"))
                    assert send(plugin, session).report.fault is None
                    assert "could not" not in plugin.call_tool("s", "ctx_reduce", {"drop": "1"})
                    assert "could not" not in plugin.run_command("s", "ctx-status")
                    assert plugin.check_tool_call("s", "edit", {"text": "plain"}) is None
                    session.natives.pop()
                    session.ids.pop()

            run_threads(work)
    passes = rows(database_of(settings), "SELECT number FROM passes ORDER BY number")
    assert [number for (number,) in passes] == list(range(1, len(THREADS) * ROUNDS + 1))
    numbers = rows(database_of(settings), "SELECT number FROM tags ORDER BY number")
    assert [number for (number,) in numbers] == list(range(1, len(numbers) + 1))


def test_four_threads_that_close_at_once_and_call_on_end(settings: Settings) -> None:
    with leaves_nothing_open(database_of(settings).parent):
        plugin = SyncContextPlugin.open(settings)
        sent: list[CallResult] = []

        def work(name: str) -> None:
            session = make_session(name).add(user("One."))
            sent.append(send(plugin, session))
            plugin.close()
            sent.append(send(plugin, session))

        run_threads(work)
    assert len(sent) == 2 * len(THREADS)
    assert all(one.report.fault in (None, "Silcrow was closed") for one in sent)
