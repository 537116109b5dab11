"""Commands of the terminal, one module each."""
