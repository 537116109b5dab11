"""Sessions: messages, the tree they form, and the verbs that change it."""
