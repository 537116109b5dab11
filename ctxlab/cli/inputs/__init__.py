"""Options of the commands, and the files that they name."""
