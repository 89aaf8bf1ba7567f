"""Between the rules of Webset and its messages: settings, codec and conversation."""
