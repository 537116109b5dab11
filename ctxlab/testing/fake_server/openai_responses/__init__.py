"""The fake of OpenAI's Responses API: what it refuses and how it replies."""
