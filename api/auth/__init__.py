"""Who is calling: bearer credentials to callers."""
