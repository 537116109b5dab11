"""Message lists in OpenAI's chat form, in and out."""
