"""Between the rules of Eriantys and its messages: settings, codec and conversation."""
