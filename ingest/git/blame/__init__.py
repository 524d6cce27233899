"""The author commit of each line, carried forwards through the history."""
