"""Tools: functions that a model may call, how their calls are asked for, approved and run."""
