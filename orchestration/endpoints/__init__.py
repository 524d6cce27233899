"""Questions to the model endpoint of an organization."""
