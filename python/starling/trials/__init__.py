"""Small MPI programs of our own, which `doctor`, `demo`, `calibrate` and `tune` compile and run."""
