"""Between the rules of the Q Game and its messages: settings, codec and conversation."""
