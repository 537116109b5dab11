"""`ctxlab mcp`: questions about conversations in a folder, asked by other programs over the Model Context Protocol."""
