"""Categories of commits by the model endpoint of an organization."""
