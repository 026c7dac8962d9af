"""Makes `support` importable for every test below this folder."""

import signal

# A CI job in the background starts with these ignored; children would inherit that, and shells could not trap them.
for ignored in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    if signal.getsignal(ignored) == signal.SIG_IGN:
        signal.signal(ignored, signal.SIG_DFL)
