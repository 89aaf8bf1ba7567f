"""The lobby for people, in a terminal: full-screen, over the client that all front ends share."""
