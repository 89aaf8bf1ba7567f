"""Reference players of the Q game: strategies, and the player that answers with one."""
