"""Makes `support` importable for every test below this folder."""

import signal

# A CI job in the background starts with these ignored, and children would inherit it: shells cannot trap them then.
for ignored in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    if signal.getsignal(ignored) == signal.SIG_IGN:
        signal.signal(ignored, signal.SIG_DFL)
