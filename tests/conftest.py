"""Makes `support` importable for every test below this folder."""
