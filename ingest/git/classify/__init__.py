"""Classification of delivered lines, and the state of earlier lines that it needs."""
