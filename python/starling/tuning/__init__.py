"""The configuration phase: what is measured next, curves of ways and their crossings, and pictures of a tuning table."""
