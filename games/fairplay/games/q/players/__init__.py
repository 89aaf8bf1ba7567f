"""Reference players of the Q Game: strategies, and the player that answers with one."""
