"""What the tests share: the MPI libraries at hand, compiling for them, running ranks under a time limit."""
