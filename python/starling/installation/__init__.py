"""What is installed: library variants, `starling-repository`, building more, flags to link; starting it again."""
