"""`fairplay records`: look into records of a store, or of an exported file."""
