"""The emulated cluster: real MPI over real TCP between network namespaces of one machine (docs/laboratory.md)."""
