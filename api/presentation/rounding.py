"""Figures that stand beside one another, rounded so that what is shown adds up.

Rounded each by itself, 25.46 − 18.74 = 6.72 would read as 25.5 − 18.7 = 6.7. Keep out: how a figure is written
(formats.py).
"""

from collections.abc import Sequence

DECIMALS = 1


def shown(value: float, decimals: int = DECIMALS) -> float:
    """The value that is read where a figure is written with so many decimals."""
    return float(f"{value:.{decimals}f}")


def shown_difference(now: float, before: float, decimals: int = DECIMALS) -> float:
    """The difference of two figures as they are shown."""
    return shown(shown(now, decimals) - shown(before, decimals), decimals)


def rounding_note(values: Sequence[float], total: float, decimals: int = DECIMALS) -> str:
    """The sentence below figures that are a total together and do not add up to it as they are shown.

    For figures that have pages of their own, on which they are the same. Empty where they add up, or are not the whole.
    """
    step = 10**-decimals
    read = shown(sum(shown(value, decimals) for value in values), decimals)
    if read == shown(total, decimals) or abs(sum(values) - total) > step / 100:
        return ""
    return f"Each figure is rounded by itself; together they are {total:,.{decimals}f}."


def shown_parts(parts: Sequence[float], total: float, decimals: int = DECIMALS) -> list[float]:
    """The parts rounded so that they add up to `total`, which is one that is shown.

    Those that lose most by rounding take what is left. Parts that do not belong to the total are rounded each by
    itself.
    """
    step = 10**decimals
    found = [round(shown(part, decimals) * step) for part in parts]
    left = round(shown(total, decimals) * step) - sum(found)
    if abs(left) > len(found):
        return [one / step for one in found]
    way = 1 if left > 0 else -1
    losing = sorted(range(len(found)), key=lambda at: (way * (found[at] / step - parts[at]), -abs(parts[at])))
    for at in losing[: abs(left)]:
        found[at] += way
    return [one / step for one in found]
