"""What is installed with this package: variants of the library, `starling-repository`, building more, flags to link; starting this command again."""
