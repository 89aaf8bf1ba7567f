"""Reference players of Webset: strategies, and the player that answers with one."""
