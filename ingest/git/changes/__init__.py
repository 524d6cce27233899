"""The changes of one commit, file by file, as worker processes read them."""
