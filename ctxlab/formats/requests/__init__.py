"""Bodies of requests to vendors, read as conversations: one file for each wire format, and what vendors reply."""
