"""The class of each delivered line, and the memory that it needs."""
