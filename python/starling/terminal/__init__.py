"""What tables on a terminal are made of."""
