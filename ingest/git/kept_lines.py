"""Lines that a merge left where they were, but that come from another parent than before.

Where a merge takes over a file of the merged branch as a whole, Git's blame gives every line of it to the
branch, also those that stood on the mainline already (both sides wrote them, as after a cherry-pick). Nothing
was delivered there, so what is known of such a line stays what it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ingest.git.diffs import Hunk
from ingest.git.origins import NO_LINES, LineIds


def changed_hands(versions: Iterable[tuple[LineIds, LineIds, Sequence[Hunk]]]) -> tuple[LineIds, LineIds]:
    """Ids before and after of the lines that no hunk touches and whose id differs all the same."""
    before, after = [NO_LINES], [NO_LINES]
    for old_ids, new_ids, hunks in versions:
        kept_old = _untouched(old_ids, [(start, count) for start, count, _, _ in hunks])
        kept_new = _untouched(new_ids, [(start, count) for _, _, start, count in hunks])
        differs = kept_old != kept_new
        before.append(kept_old[differs])
        after.append(kept_new[differs])
    return np.concatenate(before), np.concatenate(after)


def _untouched(ids: LineIds, spans: Sequence[tuple[int, int]]) -> LineIds:
    keeps = np.ones(len(ids), bool)
    for start, count in spans:
        if count:
            keeps[start - 1 : start - 1 + count] = False
    return ids[keeps]
