"""Figures that stand beside one another, rounded so that what is shown adds up.

Rounded each by itself, 25.46 − 18.74 = 6.72 would read as 25.5 − 18.7 = 6.7. Keep out: how a figure is written
(formats.py).
"""

from collections.abc import Sequence

DECIMALS = 1
# A smaller share is written with a decimal.
LEAST_WHOLE = 0.00995
# Shares are stored in millionths.
WHOLE_WITHIN = 1e-4


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


def shown_shares(shares: Sequence[float]) -> list[float]:
    """Shares from 0 to 1, which read as whole percents that add up to 100 %: each is as near to its own as it can be.

    Shares that are not those of a whole stay as they are, and so do those that are written with a decimal.
    """
    if abs(sum(shares) - 1) > WHOLE_WITHIN:
        return list(shares)
    wholes = [100 * share for share in shares if _is_whole(share)]
    percents = iter(shown_parts(wholes, sum(wholes), 0))
    return [_nearest(share, next(percents)) if _is_whole(share) else share for share in shares]


def _is_whole(share: float) -> bool:
    return share == 0 or share >= LEAST_WHOLE


def _nearest(share: float, percent: float) -> float:
    """The share nearest to this one that reads as these percent."""
    exact = 100 * share
    if shown(exact, 0) == percent:
        return share
    return (percent + (0.49 if exact > percent else -0.49)) / 100
