"""Extensions of the documentation's build."""
