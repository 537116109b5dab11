"""Options of the commands, and the sessions, agents and runs that they name."""
