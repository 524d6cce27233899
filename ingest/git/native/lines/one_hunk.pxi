# Patches of texts that differ in one place. Oracle: the patch of libgit2 (`diff.hunks.make_patch`).
#
# Between the common start and the common end of two texts lie the lines that changed. Where these have no line in
# common, and no equal line beside them with which Git could exchange one, every comparison finds the same hunk. Such
# texts are half of all, and this takes a tenth of the time. All others are left to libgit2.

cdef enum:
    MAX_PAIRS = 2048        # pairs of lines that are compared at most
    MAX_SYMBOL = 80         # bytes that Git keeps of the symbol of a hunk
    STEP = 256              # bytes that are compared at once


cdef bint is_surely_text(Span text) noexcept:
    """Whether libgit2 takes a text for one: nothing at its start counts towards a binary file."""
    cdef Py_ssize_t at
    cdef uint8_t doubt = text.n and text.s[0] >= 0xFE  # the mark of UTF-16 or UTF-32
    for at in range(text.n if text.n < BINARY_TEST_BYTES else BINARY_TEST_BYTES):
        doubt |= (text.s[at] < 9) | ((text.s[at] > 13) & (text.s[at] < 32)) | (text.s[at] == 127)
    return not doubt


cdef bint is_ascii(Span text) noexcept:
    cdef Py_ssize_t at
    for at in range(text.n):
        if text.s[at] >= 0x80:
            return False
    return True


cdef Py_ssize_t count_newlines(const uint8_t *s, Py_ssize_t size) noexcept:
    cdef Py_ssize_t at, found = 0
    for at in range(size):
        found += s[at] == c"\n"
    return found


cdef inline Py_ssize_t next_line(Span text, Py_ssize_t at) noexcept:
    """The place behind the line at `at`, with its newline."""
    at = line_end(text.s, at, text.n)
    return at + (at < text.n)


cdef Py_ssize_t common_start(Span one, Span two) noexcept:
    """Size of the lines with which both texts begin."""
    cdef Py_ssize_t at = 0, stop = one.n if one.n < two.n else two.n
    while stop - at >= STEP and memcmp(one.s + at, two.s + at, STEP) == 0:
        at += STEP
    while at < stop and one.s[at] == two.s[at]:
        at += 1
    return line_start(one.s, at)


cdef Py_ssize_t common_end(Span one, Span two, Py_ssize_t start) noexcept:
    """Size of the lines with which both texts end, behind their common start."""
    cdef Py_ssize_t size = 0, room = (one.n if one.n < two.n else two.n) - start
    cdef const uint8_t *a = one.s + one.n
    cdef const uint8_t *b = two.s + two.n
    while room - size >= STEP and memcmp(a - size - STEP, b - size - STEP, STEP) == 0:
        size += STEP
    while size < room and a[-size - 1] == b[-size - 1]:
        size += 1
    if begins_line(one, one.n - size, start) and begins_line(two, two.n - size, start):
        return size
    return one.n - next_line(one, one.n - size)


cdef inline bint begins_line(Span text, Py_ssize_t at, Py_ssize_t start) noexcept:
    return at == start or text.s[at - 1] == c"\n"


cdef bint can_slide(Span text, Py_ssize_t start, Py_ssize_t stop) noexcept:
    """Whether the changed lines could as well be those one line above or below."""
    cdef Py_ssize_t above, last
    if start == stop:
        return False
    if start:
        above, last = line_start(text.s, start - 1), line_start(text.s, stop - 1)
        if same(span(text.s + above, start - above), span(text.s + last, stop - last)):
            return True
    return stop < text.n and same(
        span(text.s + start, next_line(text, start) - start), span(text.s + stop, next_line(text, stop) - stop)
    )


@cython.final
cdef class OneHunk:
    """Draws patches. Its buffers are used again."""
    cdef Bytes out
    cdef Spans old_lines, new_lines

    def __cinit__(self):
        self.out, self.old_lines, self.new_lines = Bytes(), Spans(), Spans()

    def draw(self, bytes old not None, bytes new not None, Py_ssize_t context):
        """The hunk between two texts in the form of a patch, None where libgit2 has to find it."""
        cdef Span before = input_of(old), after = input_of(new)
        cdef Py_ssize_t start, size, old_stop, new_stop, first, last, above = 0, below = 0, line
        cdef Span symbol
        start = common_start(before, after)
        size = common_end(before, after, start)
        old_stop, new_stop = before.n - size, after.n - size
        if (
            old_stop == start == new_stop
            or can_slide(before, start, old_stop) or can_slide(after, start, new_stop)
            or not self._differ(before, after, start, old_stop, new_stop)
            or not is_surely_text(before) or not is_surely_text(after)
        ):
            return None
        first, last = start, old_stop
        while above < context and first:
            first = line_start(before.s, first - 1)
            above += 1
        symbol = symbol_above(before, first)
        if not is_ascii(symbol):
            return None  # libgit2 cuts it at a byte that is not UTF-8
        while below < context and last < before.n:
            last = next_line(before, last)
            below += 1
        line = count_newlines(before.s, first) + 1
        self.out.size = 0
        self._write_header(
            place_of(line, above + self.old_lines.size + below), place_of(line, above + self.new_lines.size + below),
            symbol,
        )
        self._write(before, first, start, c" ")
        self._write(before, start, old_stop, c"-")
        self._write(after, start, new_stop, c"+")
        self._write(before, old_stop, last, c" ")
        return self.out.result()

    cdef bint _differ(
        self, Span old, Span new, Py_ssize_t start, Py_ssize_t old_stop, Py_ssize_t new_stop
    ) except -1:
        """Whether none of the changed lines is on both sides."""
        cdef Py_ssize_t i, j
        cdef Py_ssize_t most = MAX_PAIRS if start < old_stop and start < new_stop else old.n + new.n
        self._split(old, start, old_stop, most, self.old_lines)
        self._split(new, start, new_stop, most, self.new_lines)
        if self.old_lines.size * self.new_lines.size > most:
            return False
        for i in range(self.old_lines.size):
            for j in range(self.new_lines.size):
                if same(self.old_lines.data[i], self.new_lines.data[j]):
                    return False
        return True

    cdef int _split(self, Span text, Py_ssize_t at, Py_ssize_t stop, Py_ssize_t most, Spans lines) except -1:
        """The lines within text[at:stop], one more than `most` at most."""
        cdef Py_ssize_t end
        lines.size = 0
        while at < stop and lines.size <= most:
            end = next_line(text, at)
            lines.add(span(text.s + at, end - at))
            at = end
        return 0

    cdef int _write_header(self, bytes old_place, bytes new_place, Span symbol) except -1:
        cdef bytes header = b"@@ -%b +%b @@" % (old_place, new_place)
        self.out.extend(<const uint8_t *>PyBytes_AsString(header), len(header))
        if symbol.n:
            self.out.add(c" ")
            self.out.extend(symbol.s, symbol.n)
        return self.out.add(c"\n")

    cdef int _write(self, Span text, Py_ssize_t at, Py_ssize_t stop, uint8_t sign) except -1:
        cdef Py_ssize_t end
        while at < stop:
            end = next_line(text, at)
            self.out.add(sign)
            self.out.extend(text.s + at, end - at)
            at = end
            if text.s[end - 1] != c"\n":
                self.out.extend(<const uint8_t *><const char *>"\n\\ No newline at end of file\n", 29)
        return 0


cdef bytes place_of(Py_ssize_t line, Py_ssize_t count):
    """First line and number of lines; Git writes the line before where there are none."""
    return b"%d" % line if count == 1 else b"%d,%d" % (line if count else line - 1, count)


cdef Span symbol_above(Span text, Py_ssize_t at) noexcept:
    """The nearest line above `at` that begins with a letter, `_` or `$`: Git's guess at the enclosing symbol."""
    cdef Py_ssize_t start
    cdef Span line
    while at:
        start = line_start(text.s, at - 1)
        line = right_stripped(span(text.s + start, at - start))
        if line.n and (c"a" <= (line.s[0] | 32) <= c"z" or line.s[0] == c"_" or line.s[0] == c"$"):
            return span(line.s, line.n if line.n < MAX_SYMBOL else MAX_SYMBOL)
        at = start
    return span(NULL, 0)
