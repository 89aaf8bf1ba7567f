"""Pictures of the Q Game, and what a person sees and can do."""
