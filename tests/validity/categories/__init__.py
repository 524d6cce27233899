"""Categories against labels that others gave to the same commits."""
