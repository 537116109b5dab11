"""Files of messages: how the model gets each, and the message with that in it."""
