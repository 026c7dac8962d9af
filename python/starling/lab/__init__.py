"""The laboratory: clusters that are emulated or simulated on one machine, and files of measured times."""
