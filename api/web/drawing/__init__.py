"""How the dashboard draws: templates, figures, periods, lists, forms, and the files that a browser keeps.

Keep out: what a page shows (pages/).
"""
