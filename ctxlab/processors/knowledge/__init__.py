"""Parts of the knowledge step: where placeholders count, what the conversation says, one search, and what comes by itself."""
