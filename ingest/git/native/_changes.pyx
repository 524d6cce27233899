# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, binding=False
"""Facts of one changed file: a patch and both versions in, packed columns out. Oracle: `changes.line_reading`.

Texts are spans of the caller's bytes or of an arena that lives as long as the file is read. Columns grow as needed;
nothing has a fixed size but the stacks of open brackets, which the oracle limits too.
"""

include "constants.pxi"
include "memory.pxi"
include "lines/texts.pxi"
include "lines/languages.pxi"
include "lines/constructs.pxi"
include "lines/tokens.pxi"
include "lines/logical.pxi"
include "lines/wrapping.pxi"
include "lines/features.pxi"
include "lines/comparison.pxi"
include "lines/recounts.pxi"
include "lines/substitutions.pxi"
include "lines/rewrites.pxi"
include "lines/patches.pxi"
include "lines/one_hunk.pxi"
include "lines/rust_tokens.pxi"
include "lines/rust_tests.pxi"
include "lines/words.pxi"
include "lines/surroundings.pxi"


@cython.final
cdef class Facts:
    """The columns of `changes.file_lines.FileLines`."""
    cdef Bytes kinds, heads, tokens, sizes, is_layout, removed_gone, removed_layout
    cdef Hashes line_hashes, shapes
    cdef Ints layout_from, blocks
    cdef list recounts
    cdef dict substitutions

    def __cinit__(self):
        self.kinds, self.heads, self.tokens, self.sizes = Bytes(), Bytes(), Bytes(), Bytes()
        self.is_layout, self.removed_gone, self.removed_layout = Bytes(), Bytes(), Bytes()
        self.line_hashes, self.shapes, self.layout_from, self.blocks = Hashes(), Hashes(), Ints(), Ints()
        self.recounts, self.substitutions = [], {}

    cdef int begin(self, Py_ssize_t removed, Py_ssize_t added, int recount) except -1:
        """Append a block with so many lines; its facts follow."""
        self.blocks.add(<int32_t>self.removed_gone.size)
        self.blocks.add(<int32_t>(self.removed_gone.size + removed))
        self.blocks.add(<int32_t>self.kinds.size)
        self.blocks.add(<int32_t>(self.kinds.size + added))
        return self.blocks.add(recount)

    cdef dict result(self):
        return {
            "kinds": self.kinds.result(),
            "heads": self.heads.result(),
            "tokens": self.tokens.result(),
            "sizes": self.sizes.result(),
            "line_hashes": self.line_hashes.result(),
            "shapes": self.shapes.result(),
            "is_layout": self.is_layout.result(),
            "layout_from": self.layout_from.result(),
            "removed_gone": self.removed_gone.result(),
            "removed_layout": self.removed_layout.result(),
            "blocks": self.blocks.result(),
            "recounts": self.recounts,
            "substitutions": self.substitutions,
        }


@cython.final
cdef class Reader:
    """Reads the changes of files, one after the other. Its buffers are used again."""
    cdef Blocks blocks
    cdef Side old, new
    cdef Comparison comparison
    cdef Substitutions substitutions
    cdef Rewrites rewrites
    cdef Arena arena
    cdef Ints offsets
    cdef Spans old_open, new_open
    cdef int counts[6]

    def __cinit__(self):
        self.blocks, self.old, self.new, self.arena, self.offsets = Blocks(), Side(), Side(), Arena(), Ints()
        self.comparison, self.substitutions, self.rewrites = Comparison(), Substitutions(), Rewrites()
        self.old_open, self.new_open = Spans(), Spans()

    def hunks(self, bytes patch not None):
        """The hunks of a patch. Raises ValueError."""
        self.blocks.clear()
        self.blocks.read_patch(input_of(patch))
        return self.blocks.hunks

    def read(
        self, Language language not None, bytes patch, bytes old, bytes new, bint delivered, bint tool_made,
        bint with_references,
    ):
        """Hunks, symbols, counts, columns (None unless `delivered`), hash of the changed code, lines with references.

        Without a `patch` all lines of the one version that is given changed. With one, both versions are needed only
        for languages with constructs of several lines. Raises ValueError for a malformed patch.
        """
        cdef Facts facts = Facts() if delivered else None
        cdef object code = None
        self.blocks.clear()
        self.arena.clear()
        memset(self.counts, 0, sizeof(self.counts))
        if patch is not None:
            self.blocks.read_patch(input_of(patch))
        elif new is not None or old is not None:
            self.blocks.read_whole(input_of(old if new is None else new), new is not None)
        if tool_made:
            self._skim(facts)
        else:
            self._find_open(language, old, new)
            if delivered:
                code = self._read_blocks(language, facts)
            else:
                self._count_blocks(language)
        counts = (
            self.counts[0], self.counts[1], self.counts[2], self.counts[3], self.counts[4], self.counts[5],
        )
        references = self._references() if with_references else None
        return (
            self.blocks.hunks, self.blocks.symbols, counts, None if facts is None else facts.result(), code, references,
        )

    cdef int _find_open(self, Language language, bytes old, bytes new) except -1:
        """Set the construct that is open at the start of each side of each block."""
        cdef Py_ssize_t block, count = self.blocks.count()
        cdef Span before, after
        cdef bint is_same = True
        self.old_open.size = self.new_open.size = 0
        if old is not None and new is not None and count:
            before, after = input_of(old), input_of(new)
            if text_may_open(language, before) or text_may_open(language, after):
                self.blocks.place(after, True, self.offsets)
                open_constructs(language, after, self.offsets, self.new_open)
                if count > 1:
                    for block in range(count):
                        is_same = is_same and not self.new_open.data[block].n
                    # The new file also answers for the old one, unless an earlier change opens or closes a construct.
                    is_same = is_same and not self.blocks.open_or_close(language, count - 1)
                if not is_same:
                    self.blocks.place(before, False, self.offsets)
                    open_constructs(language, before, self.offsets, self.old_open)
        while self.new_open.size < count:
            self.new_open.add(span(NULL, 0))
        for block in range(self.old_open.size, count):
            self.old_open.add(self.new_open.data[block])
        return 0

    cdef int _count(self, Side side, int first) except -1:
        """Add the kinds of a side to the counts of code, comment and blank lines from `first` on."""
        cdef Py_ssize_t at
        for at in range(side.kind.size):
            self.counts[first + 2 - side.kind.data[at]] += 1
        return 0

    cdef int _count_blocks(self, Language language) except -1:
        cdef Py_ssize_t block
        for block in range(self.blocks.count()):
            self.blocks.fill(self.new, block, True)
            self.blocks.fill(self.old, block, False)
            self.new.read_kinds(language, self.new_open.data[block], self.arena)
            self._count(self.new, 0)
            self.old.read_kinds(language, self.old_open.data[block], self.arena)
            self._count(self.old, 3)
        return 0

    cdef object _read_blocks(self, Language language, Facts facts):
        """Read all facts; the hash of the changed code, None without code."""
        cdef Hashes removed_code = Hashes(), added_code = Hashes()
        cdef Py_ssize_t block, at
        cdef bint both
        for block in range(self.blocks.count()):
            self.blocks.fill(self.new, block, True)
            self.blocks.fill(self.old, block, False)
            both = self.new.changed.size > 0 and self.old.changed.size > 0
            self.new.read(language, self.new_open.data[block], True, both, self.arena)
            self.old.read(language, self.old_open.data[block], False, both, self.arena)
            self._count(self.new, 0)
            self._count(self.old, 3)
            for at in range(self.old.changed.size):
                removed_code.add(self.old.line.data[at] if self.old.kind.data[at] == CODE else 0)
            for at in range(self.new.changed.size):
                added_code.add(self.new.line.data[at] if self.new.kind.data[at] == CODE else 0)
            self._append(facts, both)
        if not self.counts[0] and not self.counts[3]:
            return None
        return self._hash_content(removed_code, added_code)

    cdef str _hash_content(self, Hashes removed, Hashes added):
        """Hash of the changed code hunk by hunk, independent of the hunks' positions in the file."""
        cdef Bytes content = Bytes()
        cdef Py_ssize_t old = 0, new = 0, at
        for _, old_lines, _, new_lines in self.blocks.hunks:
            for at in range(old, old + <Py_ssize_t>old_lines):
                append_hex(removed.data[at], c"-", content)
            for at in range(new, new + <Py_ssize_t>new_lines):
                append_hex(added.data[at], c"+", content)
            old, new = old + <Py_ssize_t>old_lines, new + <Py_ssize_t>new_lines
        return "%016x" % XXH3_64bits(content.data, content.size)

    cdef int _append(self, Facts facts, bint both) except -1:
        cdef Side new = self.new, old = self.old
        cdef Comparison compared = self.comparison
        cdef Py_ssize_t at, first = facts.kinds.size, first_removed = facts.removed_gone.size
        cdef int count
        facts.begin(old.changed.size, new.changed.size, <int>len(facts.recounts) if both else NO_SOURCE)
        if both:
            compared.read(old, new)
            facts.recounts.append(compared.recount(new.has_bare))
        for at in range(new.changed.size):
            count = new.count.data[at]
            facts.kinds.add(new.kind.data[at])
            facts.heads.add(new.kind.data[at] == CODE and new.owner.data[at] == at)
            facts.tokens.add(compared.tokens.data[at] if both else count if count < TOKEN_LIMIT else TOKEN_LIMIT)
            facts.sizes.add(count if count < MAX_SIZE else MAX_SIZE)
            facts.line_hashes.add(new.line.data[at])
            facts.shapes.add(new.shape.data[at])
            facts.is_layout.add(
                new.kind.data[at] == BLANK or (both and compared.claims.data[new.owner.data[at]] != NO_SOURCE)
            )
            facts.layout_from.add(
                <int32_t>first_removed + compared.claims.data[at]
                if both and compared.claims.data[at] != NO_SOURCE else NO_SOURCE
            )
        for at in range(old.changed.size):
            facts.removed_gone.add(compared.gone.data[at] if both else old.count.data[at] > 0)
            facts.removed_layout.add(compared.claimed.data[old.owner.data[at]] if both else 0)
        if both:
            self.substitutions.find(
                old, new, facts.removed_layout.data + first_removed, facts.is_layout.data + first, first,
                first_removed, facts.substitutions,
            )
            self.rewrites.find(
                old, new, compared, self.substitutions, facts.is_layout.data + first, first, first_removed,
                facts.substitutions,
            )
        return 0

    cdef int _skim(self, Facts facts) except -1:
        """Facts of a file that a tool wrote: only blank lines are distinguished, and all lines count as layout."""
        cdef Py_ssize_t block, at, added, removed
        for block in range(self.blocks.count()):
            self.blocks.fill(self.new, block, True)
            self.blocks.fill(self.old, block, False)
            added, removed = self.new.changed.size, self.old.changed.size
            for at in range(added):
                self.counts[0 if stripped(self.new.lines.data[self.new.changed.data[at]]).n else 2] += 1
            for at in range(removed):
                self.counts[3 if stripped(self.old.lines.data[self.old.changed.data[at]]).n else 5] += 1
            if facts is None:
                continue
            facts.begin(removed, added, NO_SOURCE)
            facts.kinds.fill(BLANK, added)
            facts.heads.fill(0, added)
            facts.tokens.fill(0, added)
            facts.sizes.fill(0, added)
            facts.line_hashes.fill(0, added)
            facts.shapes.fill(0, added)
            facts.is_layout.fill(1, added)
            facts.layout_from.fill(NO_SOURCE, added)
            facts.removed_gone.fill(0, removed)
            facts.removed_layout.fill(0, removed)
        return 0

    cdef list _references(self):
        """The added lines that may hold a reference."""
        cdef list found = []
        cdef Py_ssize_t block, at
        cdef Span line
        for block in range(self.blocks.count()):
            for at in range(self.blocks.start(block, 3), self.blocks.end(block, 3)):
                line = self.blocks.new_lines.data[
                    self.blocks.start(block, 2) + self.blocks.new_changed.data[at]
                ]
                if may_hold_reference(line):
                    found.append(PyBytes_FromStringAndSize(<const char *>line.s, line.n))
        return found


cdef bint may_hold_reference(Span line) noexcept:
    """Oracle: `messages.references.may_hold_reference`."""
    cdef Py_ssize_t at
    cdef uint8_t before
    for at in range(1, line.n - 1):
        if line.s[at] == c"-" or line.s[at] == c"#":
            before = line.s[at - 1]
            if not c"1" <= line.s[at + 1] <= c"9":
                continue
            if line.s[at] == c"-" and CLASS[before] & NAME and not c"a" <= before <= c"z":
                return True
            if line.s[at] == c"#" and (CLASS[before] & NAME or before == c"." or before == c"-"):
                return True
    return find(line.s, 0, line.n, span(<const uint8_t *><const char *>"://", 3)) >= 0


cdef int append_hex(uint64_t value, uint8_t sign, Bytes out) except -1:
    """Append a sign and `value` without leading zeros; nothing for 0."""
    cdef int shift = 60
    cdef uint8_t digit
    if not value:
        return 0
    out.add(sign)
    while not value >> shift:
        shift -= 4
    while shift >= 0:
        digit = <uint8_t>((value >> shift) & 15)
        out.add(c"0" + digit if digit < 10 else c"a" + digit - 10)
        shift -= 4
    return 0
