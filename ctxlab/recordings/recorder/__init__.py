"""Recording what a program sends to a vendor: between the two as a proxy, or inside the program."""
