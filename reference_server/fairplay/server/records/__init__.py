"""Records: what was asked and answered in every game, chained, kept, replayed and verified."""
