"""Pictures of Eriantys, and what a person sees and can do."""
