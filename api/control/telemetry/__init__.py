"""What telemetry of AI tools needs of the control database: the tokens that send it."""
