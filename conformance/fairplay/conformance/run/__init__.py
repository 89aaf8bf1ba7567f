"""A run of the suite: its options, the cases that it chooses, the engine, the report and the certificate."""
