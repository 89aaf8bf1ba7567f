"""Games and tournaments that a server plays while the command shows them."""
