"""Classification of delivered lines, and the memory that it needs."""
