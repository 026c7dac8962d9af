"""Makes `support` importable for every test below this folder."""

import atexit
import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest

# A CI job in the background starts with these ignored; children would inherit that, and shells could not trap them.
for ignored in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    if signal.getsignal(ignored) == signal.SIG_IGN:
        signal.signal(ignored, signal.SIG_DFL)

if "PYTEST_XDIST_WORKER" in os.environ:
    # Open MPI 4's launchers make and remove one folder of a fixed name there, and fail if another does at that moment.
    os.environ["TMPDIR"] = tempfile.mkdtemp(prefix="starling-")
    Path(os.environ["TMPDIR"]).chmod(0o1777)  # as /tmp: some tests run programs as another user
    atexit.register(shutil.rmtree, os.environ["TMPDIR"], ignore_errors=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests first."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
