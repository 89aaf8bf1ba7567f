"""Reference players of Fish: strategies, and the player that answers with one."""
