"""The library and programs with sanitizers: `make test-sanitized` builds what these tests need."""
