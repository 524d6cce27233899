"""What an organization decides about usage of AI tools: agreed prices, and the developers behind actors."""
