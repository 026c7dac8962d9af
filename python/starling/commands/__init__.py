"""The command line: names, options and exit statuses of every command."""
