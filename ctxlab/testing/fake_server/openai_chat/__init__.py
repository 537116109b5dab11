"""The fake of Chat Completions, of OpenAI, DeepSeek and compatible servers: what it refuses and how it replies."""
