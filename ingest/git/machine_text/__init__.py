"""Text that a program wrote: by its marks, its parts, its lines, or because it is made of another file."""
