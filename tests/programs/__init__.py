"""Real programs."""
