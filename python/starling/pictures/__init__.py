"""Pictures of what each rank does in an algorithm."""
