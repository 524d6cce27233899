"""The pages of an organization, one module each.

Keep out: what all of them have (frame.py, drawing/).
"""
