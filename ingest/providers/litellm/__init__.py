"""LiteLLM, a proxy in front of models."""
