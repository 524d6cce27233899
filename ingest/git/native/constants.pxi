# Numbers that a rule has in Python too. `python -m ingest.git.native.build` writes them from the modules named here.

from libc.stdint cimport uint64_t

# objects.trees
cdef enum:
    ID_BYTES = 20

# machine_text.words
cdef enum:
    MOST_WORDS = 192
    MARKED_BYTES = 3

# diff.texts
cdef enum:
    BINARY_TEST_BYTES = 8000

# diff.context
cdef enum:
    NEAR = 4
    MICRO = 1000000
    FARTHEST = 500
    REACH = 504

# lexing.languages.model
cdef enum:
    MAX_PLAIN = 2000
    MAX_ESCAPES = 250

# lexing.comments
cdef enum:
    LINE_LIMIT = 500
    FALSE_LIMIT = 64

# lexing.logical_lines
cdef enum:
    MAX_PHYSICAL_LINES = 10
    FOLDS = 8
    MAX_OPEN = 500

# lexing.wrapping
cdef enum:
    LOOKED_BACK = 100

# lexing.line_features
cdef enum:
    BLANK = 0
    COMMENT_LINE = 1
    CODE = 2

# lexing.token_diff
cdef enum:
    TOKEN_LIMIT = 31

# lexing.token_edits
cdef enum:
    MAX_SKIPPED = 32
    KEPT_SHARE = 3

# lexing.rust_tests
cdef enum:
    MAX_ATTRIBUTE_TOKENS = 400

# changes.substitutions
cdef enum:
    MAX_CANDIDATES = 8

# changes.line_reading
cdef enum:
    MAX_SIZE = 255

# changes.file_lines
cdef enum:
    NO_SOURCE = -1

# classify.changed_lines
cdef enum:
    NO_PLACE = -1

# classify.line_table
cdef enum:
    LAYOUT = 0
    MOVED = 1
    RETURNED = 2
    COPIED = 3
    COMMENT = 5
    NOVEL = 6
    UNREAD = 7
    OPEN = 255

# classify.classifier
cdef enum:
    MAX_RANK = 10

# classify.block_index
cdef uint64_t FACTOR = 0x9e3779b97f4a7c15

# lexing.languages.model.Names
cdef enum:
    CALLS = 0
    COMMANDS = 1
    NESTED_COMMANDS = 2
    KEYS = 3
    TAGS = 4

# changes.native_reading.CommentRule
cdef enum:
    NO_COMMENT = 0
    WHOLE_LINE = 1
    AFTER_SPACE = 2
    NOT_AFTER_COLON = 3
    ANYWHERE = 4

# changes.native_reading.LITERALS
cdef enum:
    DOUBLE = 0
    SINGLE = 1
    RAW_DOUBLE = 2
    RAW_SINGLE = 3
    CHARACTER = 4
    ATTRIBUTES = 5
    VERBATIM = 6
