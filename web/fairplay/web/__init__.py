"""Pages for people: a client of the public services of a server, in a process of its own."""
