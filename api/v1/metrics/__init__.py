"""Routes of metrics: time series, movements and work without ETV."""
