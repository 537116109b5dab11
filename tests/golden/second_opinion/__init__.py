"""The same things through another program, fast-tavern: cases, both runs, and why they differ."""
