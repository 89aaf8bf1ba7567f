"""Reference players of Eriantys: strategies, and the player that answers with one."""
