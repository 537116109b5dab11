"""Questions to a trace: lives of messages, differences, costs, places of words."""
