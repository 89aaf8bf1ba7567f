"""Between the rules of Bazaar and its messages: settings, codec and conversation."""
