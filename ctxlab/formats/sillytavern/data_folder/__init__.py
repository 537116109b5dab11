"""SillyTavern's data folder of a user: what its next request depends on."""
