"""The text of a summary by a model: what it is asked, what of its answer is accepted, and what happens otherwise.

A model chooses and words; it never prints a number or a title. Both are placeholders that cite facts, and the renderer
of every other summary fills them.
"""
