"""What the games share, so that nothing is written twice."""
