"""Lines that widely copied libraries published: which known library had the lines of a change, and since when.

Add: how lines are compared, and the search of the index. Keep out: making the index (`tests.published_lines`), and what
follows for a file (`int_exclusions__published_files`).
"""
