# A difference as a patch with context has it: blocks of lines, and hunks. Oracle: `diff.hunks`.


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
            lines.add(unmarked(text.s + at, end - at))
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
                self.new_lines.add(unmarked(line.s + 1, line.n - 1))
            elif line.s[0] == c"-":
                removed += 1
                self.old_changed.add(<int32_t>(self.old_lines.size - old_start))
                self.old_lines.add(unmarked(line.s + 1, line.n - 1))
            elif line.s[0] == c" ":
                self._note(old_line, removed, new_line, added)
                old_line += removed + 1
                new_line += added + 1
                removed = added = 0
                self.old_lines.add(unmarked(line.s + 1, line.n - 1))
                self.new_lines.add(unmarked(line.s + 1, line.n - 1))
        if inside:
            self._note(old_line, removed, new_line, added)
            self._close()
        return 0

    cdef int _read_header(self, Span line, Py_ssize_t *old_line, Py_ssize_t *new_line) except -1:
        cdef Py_ssize_t at = 3
        cdef Span symbol
        at = self._read_place(line, at, c"-", old_line)
        if at >= line.n or line.s[at] != c" ":
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
                number = 10 * number + line.s[at] - c"0"
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


cdef inline Span unmarked(const uint8_t *s, Py_ssize_t n) noexcept:
    """A line without the byte order mark at its start."""
    if n >= 3 and s[0] == 0xEF and s[1] == 0xBB and s[2] == 0xBF:
        return span(s + 3, n - 3)
    return span(s, n)


cdef bint holds_delimiter(Language language, Span line) noexcept:
    cdef Py_ssize_t i
    for i in range(language.delimiter_count):
        if find(line.s, 0, line.n, language.delimiters[i]) >= 0:
            return True
    return False
