"""The fake of Anthropic's Messages API: what it refuses and how it replies."""
