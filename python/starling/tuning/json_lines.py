"""A file of measurements that grows while it is measured: JSON Lines, of which a killed run may leave half a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO

from starling.messages import printable


class JournalError(Exception):
    """A file of measurements that can't be gone on with; the text has the file, the reason and what to do."""


class JsonLines:
    """A file of values, a line each. `begin` before `append`. Raises JournalError where the system refuses."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = self._read() if path.exists() else ""
        """The whole lines that were there."""
        self._file: IO[str] | None = None

    def _read(self) -> str:
        try:
            data = self.path.read_bytes()
            whole = data[: data.rfind(b"\n") + 1]  # half a line is overwritten
            if len(whole) < len(data):
                with self.path.open("r+b") as file:
                    file.truncate(len(whole))
        except OSError as error:
            raise self._refused(error) from error
        return whole.decode("utf-8", "replace")

    def begin(self, heading: object) -> None:
        """Opens the file; one without lines gets `heading` as its first."""
        try:
            self._file = self.path.open("a", encoding="utf-8")
        except OSError as error:
            raise self._refused(error) from error
        if not self.text:
            self.append(heading)

    def append(self, value: object) -> None:
        """Keeps a value, whatever happens to the process after it."""
        if self._file is None:
            raise ValueError("begin() comes first")
        try:
            self._file.write(json.dumps(value) + "\n")
            self._file.flush()
        except OSError as error:
            raise self._refused(error) from error

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            self._file.close()

    def _refused(self, error: OSError) -> JournalError:
        return JournalError(f"{printable(self.path)}: {error.strerror}")
