"""The five categories of work. The SQL of the models has the same names (seed and macros of dbt_project)."""

CATEGORIES = ("features", "maintenance", "tests", "documentation", "fixes")
