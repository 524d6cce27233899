# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, binding=False
"""The compiled twin of line ownership and of the classification of deliveries.

Columns are buffers: 32-bit numbers, 64-bit hashes or bytes, as `classify.changed_lines` has them. Their sizes and all
row numbers in them are checked. Oracles: `blame.line_edits`, `classify.classifier`, `classify.copied` and
`rows.histograms`.
"""


include "constants.pxi"
include "memory.pxi"
include "deliveries/versions.pxi"
include "deliveries/blocks.pxi"
include "deliveries/removals.pxi"
include "deliveries/rules.pxi"
include "deliveries/histograms.pxi"
