"""Knowledge policy: pure rules on when a placeholder searches, by which query, and which of what was found is sent."""
