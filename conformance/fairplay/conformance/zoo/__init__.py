"""Players with exactly one fault each: what the suite, the referee's tests and the demo are tried on."""
