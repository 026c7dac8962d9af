"""Starling in the jobs of a real Slurm."""
