"""The parameters of a request as a layer of settings: the model's, the agent's, the session's, the call's."""
