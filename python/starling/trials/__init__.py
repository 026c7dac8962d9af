"""Small MPI programs of our own, which `doctor`, `demo` and `calibrate` compile and run."""
