"""Tuning tables: which way is the fastest where, as data, and in the words of MPI libraries."""
