"""The screens of the lobby, in Textual: they show what the controller says, and give it keys and forms."""
