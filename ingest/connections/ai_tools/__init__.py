"""What connections to AI tools have in common: rows of usage and seats, days, money."""
