"""Who callers are and what they may do: roles, accounts, and whose names, games and tournaments are."""
