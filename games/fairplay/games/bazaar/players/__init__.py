"""Reference players of Bazaar: strategies, and the player that answers with one."""
