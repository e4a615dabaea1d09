"""The same work in four threads at once."""

import threading
from collections.abc import Callable

THREADS = "abcd"


def run_threads(work: Callable[[str], None]) -> None:
    """Do the work in each thread, with its name; fails with the first of their errors."""
    errors: list[BaseException] = []

    def run(name: str) -> None:
        try:
            work(name)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(name,)) for name in THREADS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in errors:
        raise error
