"""Pictures of Bazaar, and what a person sees and can do."""
