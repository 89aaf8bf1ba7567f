"""Between the rules of the Q game and its messages: settings, codec and conversation."""
