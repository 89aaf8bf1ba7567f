"""Attacks on a server, or on a player that serves, by what no sound caller sends: `make fuzz`."""
