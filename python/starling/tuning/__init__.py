"""The configuration phase: what is measured next, curves of ways and where they cross, pictures of a tuning table."""
