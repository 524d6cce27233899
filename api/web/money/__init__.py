"""Pages about money: what AI tools cost, and which effort can be capitalized.

Keep out: how figures are written (drawing/), and other pages (pages/).
"""
