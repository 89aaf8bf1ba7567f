"""Pictures of Fish, and what a person sees and can do."""
