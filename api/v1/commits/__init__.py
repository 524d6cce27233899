"""Routes of commits: lists, explanations, exclusions, categories and corrections."""
