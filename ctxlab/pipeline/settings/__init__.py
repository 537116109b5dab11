"""Settings of steps: their layers and the schema of their forms."""
