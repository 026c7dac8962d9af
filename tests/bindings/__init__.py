"""Tests of the MPI entry points: what reaches the library, from where, and how often."""
