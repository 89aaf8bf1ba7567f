"""What a teacher gives to a class, and what comes back."""
