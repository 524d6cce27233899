# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, binding=False
"""The compiled twin of line ownership and of the classification of deliveries.

Columns are buffers: 32-bit numbers, 64-bit hashes or bytes, as `classify.changed_lines` has them. Their sizes and all
row numbers in them are checked. The oracles are the methods and functions of the same names in Python.
"""


include "memory.pxi"

cdef enum:
    BLANK = 0
    COMMENT_LINE = 1
    CODE = 2
    LAYOUT = 0
    MOVED = 1
    RETURNED = 2
    COPIED = 3
    COMMENT = 5
    NOVEL = 6
    UNREAD = 7
    OPEN = 255
    MAX_RANK = 10
    NONE = -1
    MAX_WINDOW = 16

cdef uint64_t FACTOR = 0x9E3779B97F4A7C15

include "deliveries/versions.pxi"
include "deliveries/blocks.pxi"
include "deliveries/removals.pxi"
include "deliveries/rules.pxi"
include "deliveries/histograms.pxi"
