"""Programs of others: what they may see, what they may use, and how they are ended. It imports nothing else of ours."""
