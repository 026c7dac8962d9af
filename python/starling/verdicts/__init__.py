"""Whether Starling may help a program, and whether it did."""
