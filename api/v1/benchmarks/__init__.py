"""Routes of benchmarks, and what other routes answer about them."""
