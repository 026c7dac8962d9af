"""Small MPI programs of our own, compiled and run here: by `doctor`, `demo` and `calibrate`."""
