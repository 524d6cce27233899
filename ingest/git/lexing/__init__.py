"""Lines of code as tokens: kinds, logical lines, shapes, and the comparison of two sides."""
