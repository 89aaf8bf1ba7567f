"""How players are reached. The referee cannot tell one kind of link from another."""
