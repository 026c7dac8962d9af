"""Runs a command that builds with Ninja, and shows how far it has come instead of its output.

python packaging/progress.py pip install --verbose .

After a failure the last lines of the output follow. The exit status is the command's.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import deque

STEP = re.compile(r"^\s*\[(\d+)/(\d+)\] (?!Re-checking globbed directories)")
"""Ninja's number of a step, and of all. What it does before it knows all of them does not count."""
LAST_LINES = 60
TENTHS = 10
"""Without a terminal, a line for each tenth of the work."""


def main() -> int:
    """Its exit status."""
    last: deque[str] = deque(maxlen=LAST_LINES)
    shown = -1
    live = sys.stderr.isatty()
    with subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as job:
        for line in job.stdout or ():
            last.append(line)
            if found := STEP.match(line):
                done, total = map(int, found.groups())
                if live:
                    sys.stderr.write(f"\rbuilding: {done} of {total} ")
                elif done * TENTHS // total != shown:
                    sys.stderr.write(f"building: {done} of {total}\n")
                shown = done * TENTHS // total
                sys.stderr.flush()
    if live and shown >= 0:
        sys.stderr.write("\n")
    if job.returncode:
        sys.stderr.writelines(last)
    return job.returncode


if __name__ == "__main__":
    sys.exit(main())
