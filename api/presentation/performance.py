"""Performance: the output of a range beside what the organization usually delivers."""

# The reference needs half a developer-year, or one busy month would determine it.
MIN_REFERENCE_WEEKS = 26


def performance_sql(etv: str, weeks: str, reference: str, reference_weeks: str) -> str:
    """Performance 0–100 from ETV and employed developer-weeks against the reference per week."""
    ratio = f"(({etv}) / ({weeks}) / ({reference}))"
    return (
        f"case when ({etv}) > 0 and ({weeks}) > 0 and ({reference}) > 0 "
        f"and ({reference_weeks}) >= {MIN_REFERENCE_WEEKS} then 100.0 * {ratio} / (1 + {ratio}) end"
    )
