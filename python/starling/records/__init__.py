"""What runs leave: run records, the history that they make together, and the report of one."""
