"""Launcher lines of any MPI: their launcher, what their programs need, how variables reach every rank."""
