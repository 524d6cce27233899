"""What one commit changed, file by file: the work of the worker processes."""
