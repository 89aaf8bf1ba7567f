"""What is typed: each command with its options, and how commands are made, found and ended."""
