"""What commands show on a terminal: tables, and how far they have come."""
