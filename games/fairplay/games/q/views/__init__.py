"""Pictures of the Q game, and what a person sees and can do."""
