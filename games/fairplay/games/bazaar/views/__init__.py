"""Pictures of Bazaar: SVG, and text for terminals."""
