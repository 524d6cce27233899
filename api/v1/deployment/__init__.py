"""Routes about the deployment as a whole."""
