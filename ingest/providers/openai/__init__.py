"""OpenAI: usage and costs of an organization."""
