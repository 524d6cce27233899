# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, binding=False
"""Facts of one changed file: a patch and both versions in, packed columns out. Oracle: `changes.line_reading`.

Texts are spans of the caller's bytes or of an arena that lives as long as the file is read. Columns grow as needed;
nothing has a fixed size but the stacks of open brackets, which the oracle limits too.
"""

include "buffers.pxi"
include "lines/languages.pxi"
include "lines/constructs.pxi"
include "lines/tokens.pxi"
include "lines/logical.pxi"
include "lines/features.pxi"
include "lines/comparison.pxi"

cdef enum:
    MAX_TOKENS = 31
    MAX_SIZE = 255
    MAX_INPUT = 0x7FFFFF00


@cython.final
cdef class Blocks:
    """The blocks of a difference, one after the other."""
    cdef Spans old_lines, new_lines
    cdef Ints old_changed, new_changed          # positions within their block
    cdef Ints ends                              # per block: ends of the four columns above
    cdef Ints places                            # per block: number of the first line on both sides, from 1
    cdef list hunks, symbols
    cdef Py_ssize_t added, deleted

    def __cinit__(self):
        self.old_lines, self.new_lines = Spans(), Spans()
        self.old_changed, self.new_changed, self.ends, self.places = Ints(), Ints(), Ints(), Ints()

    cdef int clear(self) except -1:
        self.old_lines.size = self.new_lines.size = self.old_changed.size = self.new_changed.size = 0
        self.ends.size = self.places.size = self.added = self.deleted = 0
        self.hunks, self.symbols = [], []
        return 0

    cdef Py_ssize_t count(self) except -1:
        return self.places.size // 2

    cdef Py_ssize_t start(self, Py_ssize_t block, int column) except -1:
        return self.ends.data[4 * (block - 1) + column] if block else 0

    cdef Py_ssize_t end(self, Py_ssize_t block, int column) except -1:
        return self.ends.data[4 * block + column]

    cdef int _close(self) except -1:
        self.ends.add(<int32_t>self.old_lines.size)
        self.ends.add(<int32_t>self.old_changed.size)
        self.ends.add(<int32_t>self.new_lines.size)
        return self.ends.add(<int32_t>self.new_changed.size)

    cdef int _note(self, Py_ssize_t old_line, Py_ssize_t removed, Py_ssize_t new_line, Py_ssize_t added) except -1:
        """Append a hunk as a patch without context has it."""
        if removed or added:
            self.hunks.append((old_line - (removed == 0), removed, new_line - (added == 0), added))
            self.added += added
            self.deleted += removed
        return 0

    cdef int read_whole(self, Span text, bint is_new) except -1:
        """All lines of the only version."""
        cdef Py_ssize_t at = 0, end
        cdef Spans lines = self.new_lines if is_new else self.old_lines
        cdef Ints changed = self.new_changed if is_new else self.old_changed
        while at < text.n:
            end = line_end(text.s, at, text.n)
            changed.add(<int32_t>lines.size)
            lines.add(span(text.s + at, end - at))
            at = end + 1
        if lines.size:
            self.places.add(1)
            self.places.add(1)
            self._close()
            self._note(1, 0 if is_new else lines.size, 1, lines.size if is_new else 0)
        return 0

    cdef int read_patch(self, Span patch) except -1:
        """The blocks and hunks of a patch with context. Raises ValueError."""
        cdef Py_ssize_t at = 0, end, old_line = 0, new_line = 0, removed = 0, added = 0, old_start = 0, new_start = 0
        cdef bint inside = False
        cdef Span line
        while at < patch.n:
            end = line_end(patch.s, at, patch.n)
            line = span(patch.s + at, end - at)
            at = end + 1
            if line.n >= 3 and memcmp(line.s, <const char *>"@@ ", 3) == 0:
                if inside:
                    self._note(old_line, removed, new_line, added)
                    self._close()
                inside = True
                removed = added = 0
                self._read_header(line, &old_line, &new_line)
                old_start, new_start = self.old_lines.size, self.new_lines.size
            elif not inside or not line.n:
                continue
            elif line.s[0] == c"+":
                added += 1
                self.new_changed.add(<int32_t>(self.new_lines.size - new_start))
                self.new_lines.add(span(line.s + 1, line.n - 1))
            elif line.s[0] == c"-":
                removed += 1
                self.old_changed.add(<int32_t>(self.old_lines.size - old_start))
                self.old_lines.add(span(line.s + 1, line.n - 1))
            elif line.s[0] == c" ":
                self._note(old_line, removed, new_line, added)
                old_line += removed + 1
                new_line += added + 1
                removed = added = 0
                self.old_lines.add(span(line.s + 1, line.n - 1))
                self.new_lines.add(span(line.s + 1, line.n - 1))
        if inside:
            self._note(old_line, removed, new_line, added)
            self._close()
        return 0

    cdef int _read_header(self, Span line, Py_ssize_t *old_line, Py_ssize_t *new_line) except -1:
        cdef Py_ssize_t at = 3, end
        cdef Span symbol
        at = self._read_place(line, at, c"-", old_line)
        if at >= line.n or line.s[at] != 32:
            raise ValueError("the header of a hunk is malformed")
        at = self._read_place(line, at + 1, c"+", new_line)
        if line.n - at < 3 or memcmp(line.s + at, <const char *>" @@", 3):
            raise ValueError("the header of a hunk is malformed")
        self.places.add(<int32_t>old_line[0])
        self.places.add(<int32_t>new_line[0])
        symbol = stripped(span(line.s + at + 3, line.n - at - 3))
        if symbol.n:
            self.symbols.append(PyBytes_FromStringAndSize(<const char *>symbol.s, symbol.n))
        return 0

    cdef Py_ssize_t _read_place(self, Span line, Py_ssize_t at, uint8_t sign, Py_ssize_t *first) except -1:
        """Read `-12,3`: the number of the first line, one more than Git writes where there are none."""
        cdef Py_ssize_t start
        cdef int number, part
        for part in range(2):
            if at >= line.n or line.s[at] != sign:
                if part:
                    return at
                raise ValueError("the header of a hunk is malformed")
            at += 1
            start, number = at, 0
            while at < line.n and CLASS[line.s[at]] & DIGIT:
                if number > 0x7FFFFFF:
                    raise ValueError("the number of a line is too large")
                number = 10 * number + line.s[at] - 48
                at += 1
            if at == start:
                raise ValueError("the header of a hunk is malformed")
            if part:
                first[0] += number == 0 and at == start + 1
            else:
                first[0] = number
            sign = c","
        return at

    cdef int fill(self, Side side, Py_ssize_t block, bint is_new) except -1:
        """Copy one side of a block."""
        cdef int column = 2 if is_new else 0
        cdef Spans lines = self.new_lines if is_new else self.old_lines
        cdef Ints changed = self.new_changed if is_new else self.old_changed
        cdef Py_ssize_t at
        side.clear()
        for at in range(self.start(block, column), self.end(block, column)):
            side.lines.add(lines.data[at])
        for at in range(self.start(block, column + 1), self.end(block, column + 1)):
            side.changed.add(changed.data[at])
        return 0

    cdef int place(self, Span data, bint is_new, Ints offsets) except -1:
        """The byte offsets at which the blocks begin."""
        cdef Py_ssize_t block, line = 1, at = 0
        offsets.size = 0
        for block in range(self.count()):
            while line < self.places.data[2 * block + is_new] and at < data.n:
                at = line_end(data.s, at, data.n) + 1
                line += 1
            offsets.add(<int32_t>(at if at < data.n else data.n))
        return 0

    cdef bint open_or_close(self, Language language, Py_ssize_t blocks) except -1:
        """Whether a changed line of the first `blocks` begins or ends a construct."""
        cdef Py_ssize_t block, at
        cdef int column
        cdef Span line
        for block in range(blocks):
            for column in range(1, 4, 2):
                for at in range(self.start(block, column), self.end(block, column)):
                    if column == 1:
                        line = self.old_lines.data[self.start(block, 0) + self.old_changed.data[at]]
                    else:
                        line = self.new_lines.data[self.start(block, 2) + self.new_changed.data[at]]
                    if holds_delimiter(language, line):
                        return True
        return False


cdef bint holds_delimiter(Language language, Span line) noexcept:
    cdef Py_ssize_t i
    for i in range(language.delimiter_count):
        if find(line.s, 0, line.n, language.delimiters[i]) >= 0:
            return True
    return False


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


cdef Span input_of(bytes text) except *:
    if len(text) > MAX_INPUT:
        raise ValueError("a text is too large")
    return span_of(text)


include "lines/one_hunk.pxi"


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

    cdef tuple result(self):
        return (
            self.kinds.result(), self.heads.result(), self.tokens.result(), self.sizes.result(),
            self.line_hashes.result(), self.shapes.result(), self.is_layout.result(), self.layout_from.result(),
            self.removed_gone.result(), self.removed_layout.result(), self.blocks.result(), self.recounts,
            self.substitutions,
        )


@cython.final
cdef class Reader:
    """Reads the changes of files, one after the other. Its buffers are used again."""
    cdef Blocks blocks
    cdef Side old, new
    cdef Comparison comparison
    cdef Substitutions substitutions
    cdef Arena arena
    cdef Ints offsets
    cdef Spans old_open, new_open
    cdef int counts[6]

    def __cinit__(self):
        self.blocks, self.old, self.new, self.arena, self.offsets = Blocks(), Side(), Side(), Arena(), Ints()
        self.comparison, self.substitutions = Comparison(), Substitutions()
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
        for block in range(self.new_open.size, count):
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
            facts.tokens.add(compared.tokens.data[at] if both else count if count < MAX_TOKENS else MAX_TOKENS)
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
            for at in range(added):
                facts.line_hashes.add(0)
                facts.shapes.add(0)
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
        out.add(48 + digit if digit < 10 else 87 + digit)
        shift -= 4
    return 0
