"""Pictures of Webset, and what a person sees and can do."""
