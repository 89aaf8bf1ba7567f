"""What the network asks of every part: listeners, connections, callers, and the errors that they are shown."""
