"""The screens of the lobby, in Textual. What they show and do is decided elsewhere."""
