"""The lobby as a person meets it: the client and what it knows, what a person can do, and the words for it."""
