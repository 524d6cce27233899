"""What a browser measures of the dashboard."""
