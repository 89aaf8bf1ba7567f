"""Between the rules of Fish and its messages: settings, codec and conversation."""
