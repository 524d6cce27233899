"""The callback of the payment system."""
