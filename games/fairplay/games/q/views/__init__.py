"""Pictures of the Q game: SVG, and text for terminals."""
