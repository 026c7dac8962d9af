"""Run-time parameters of the MPI library, searched by running a program with them."""
