"""The fake of Google's Gemini API: what it refuses and how it replies."""
