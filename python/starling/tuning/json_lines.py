"""A file of measurements that grows while it is measured: JSON Lines, of which a killed run may leave half a line."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import IO

from starling import files
from starling.messages import printable


class JournalError(Exception):
    """A file of measurements that can't be gone on with; the text has the file, the reason and what to do."""


class JsonLines:
    """A file of values, a line each. `begin` before `append`. Raises JournalError where the system refuses."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            if path.is_fifo():
                raise OSError(None, "it is a pipe")
            data = files.read(path) if path.exists() else b""
        except OSError as error:
            raise self._refused(error) from error
        self._read_bytes = len(data)
        self._whole_bytes = data.rfind(b"\n") + 1
        self.text = data[: self._whole_bytes].decode("utf-8", "replace")
        """The whole lines that were there."""
        self._file: IO[bytes] | None = None

    def forget(self) -> None:
        """Before `begin`: what was there goes, and the file begins anew."""
        self._whole_bytes, self.text = 0, ""

    def begin(self, heading: object) -> None:
        """Opens the file, for this process alone; one without lines gets `heading` as its first."""
        try:
            self._file = self.path.open("ab", buffering=0)  # a line that does not fit is not tried again later
            self._alone(self._file.fileno())
        except OSError as error:
            raise self._refused(error) from error
        if not self.text:
            self.append(heading)

    def _alone(self, file: int) -> None:
        """Takes the file, and cuts half a line off. Where there are no locks, its length has to do."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            taken = False
        except BlockingIOError:
            taken = True
        except OSError:
            taken = False
        if taken or os.fstat(file).st_size != self._read_bytes:
            self.close()
            raise JournalError(
                f"{printable(self.path)}: another run is measuring into it; wait for it, or name another file with -o"
            )
        os.ftruncate(file, self._whole_bytes)

    def append(self, value: object) -> None:
        """Keeps a value, whatever happens to the process after it."""
        if self._file is None:
            raise ValueError("begin() comes first")
        left = json.dumps(value).encode() + b"\n"
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            raise JournalError(
                f"{printable(self.path)}: {error.strerror}; mend that, and the same command goes on"
            ) from error

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            self._file.close()

    def _refused(self, error: OSError) -> JournalError:
        return JournalError(f"{printable(self.path)}: {error.strerror}; name another file with -o")
