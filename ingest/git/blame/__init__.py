"""Who wrote each line: ownership carried forwards through the history."""
