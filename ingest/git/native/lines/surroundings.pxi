# Lines around a change: its neighbours, and the functions in which it lies. Oracle: `diff.context`.

cdef enum:
    IS_REMOVED = 1
    IS_IN_FUNCTION = 2


cdef bint says_something(Span line) noexcept:
    cdef Py_ssize_t at
    for at in range(line.n):
        if CLASS[line.s[at]] & NAME:
            return True
    return False


cdef bint starts_code(Span text) noexcept:
    return text.n > 0 and (c"a" <= (text.s[0] | 32) <= c"z" or text.s[0] == c"_" or text.s[0] == c"$")


cdef Py_ssize_t word_size(Span text) noexcept:
    """Size of the word with which the text begins."""
    cdef Py_ssize_t size = 0
    while size < text.n and CLASS[text.s[size]] & NAME:
        size += 1
    return size


cdef Py_ssize_t blanks_end(Span text, Py_ssize_t at) noexcept:
    while at < text.n and (text.s[at] == c" " or text.s[at] == c"\t"):
        at += 1
    return at


cdef bint is_label(Span text) noexcept:
    """Whether the text is a name with a colon."""
    cdef Py_ssize_t at = word_size(text)
    if not at:
        return False
    at = blanks_end(text, at)
    return at < text.n and text.s[at] == c":" and blanks_end(text, at + 1) == text.n


cdef bint is_head(Span line) noexcept:
    """Whether a function may begin on the line."""
    cdef Span text = stripped(line)
    cdef Py_ssize_t at, opening = 0, closing = 0
    for at in range(text.n):
        opening += text.s[at] == c"("
        closing += text.s[at] == c")"
    return (
        opening > 0
        and opening >= closing
        and is_sign(text.s[text.n - 1], "{:,()")
        and starts_code(text)
        and not is_one_of(
            span(text.s, word_size(text)),
            "if else elif for foreach while switch case do try catch except finally with when match return"
            " class struct union enum interface namespace module impl trait extern",
        )
        and not is_label(text)
    )


cdef Py_ssize_t indentation(Span line) noexcept:
    """Columns before the first text; a tab goes on to the next eighth one."""
    cdef Py_ssize_t at = 0, columns = 0, column = 0, width
    while at < line.n and CLASS[line.s[at]] & SPACE:
        width = 8 - column % 8 if line.s[at] == c"\t" else 1
        columns += width
        column = 0 if line.s[at] == c"\r" else column + width
        at += 1
    return columns


cdef bint is_deeper(Span line, Py_ssize_t depth) noexcept:
    """Whether so many bytes of the line are blank, or all of a line that is not empty."""
    cdef Py_ssize_t at, stop = min(depth, line.n)
    for at in range(stop):
        if not CLASS[line.s[at]] & SPACE:
            return False
    return stop > 0


@cython.final
cdef class Around:
    """Finds the lines around changes. Its buffers are used again."""
    cdef Spans lines
    cdef Ints near, weights, said, place
    cdef Bytes marks

    def __cinit__(self):
        self.lines, self.near, self.weights, self.said = Spans(), Ints(), Ints(), Ints()
        self.place, self.marks = Ints(), Bytes()

    def find(self, bytes text not None, list hunks not None):
        """Lines near the hunks, their weights, and the lines of the functions, as 32-bit numbers. Raises ValueError."""
        cdef Py_ssize_t start, count, last = 0, number, first
        for start, count, _, _ in hunks:
            if count < 0 or start < (count > 0) or start + count > MAX_NUMBER - REACH:
                raise ValueError("a hunk has an impossible place")
            last = max(last, start + count)
        self._split(input_of(text), last + REACH)
        self.near.size = self.weights.size = self.said.size = self.place.size = self.marks.size = 0
        self.place.fill(0, self.lines.size + 1)
        self.marks.fill(0, self.lines.size + 1)
        for start, count, _, _ in hunks:
            for number in range(start, min(start + count, self.lines.size + 1)):
                self.marks.data[number] |= IS_REMOVED
        for start, count, _, _ in hunks:
            first = start if count else start + 1
            self._add_neighbours(first, count)
            if not (self._is_known(first) and self._is_known(first + max(count - 1, 0))):
                self._add_function(first - 1, count)
        for number in range(1, self.lines.size + 1):
            if self.marks.data[number] & IS_IN_FUNCTION and says_something(self.lines.data[number - 1]):
                self.said.add(<int32_t>number)
        return self.near.result(), self.weights.result(), self.said.result()

    cdef int _split(self, Span text, Py_ssize_t most) except -1:
        """The first lines of a text; behind its last newline stands an empty one."""
        cdef Py_ssize_t at = 0, end
        self.lines.size = 0
        while self.lines.size < most and at <= text.n:
            end = line_end(text.s, at, text.n)
            self.lines.add(span(text.s + at, end - at))
            at = end + 1
        return 0

    cdef bint _is_known(self, Py_ssize_t number) noexcept:
        return 0 < number <= self.lines.size and self.marks.data[number] & IS_IN_FUNCTION

    cdef int _add_neighbours(self, Py_ssize_t first, Py_ssize_t count) except -1:
        cdef Py_ssize_t distance
        for distance in range(1, NEAR + 1):
            self._add_near(first - distance, MICRO // distance)
            self._add_near(first + count - 1 + distance, MICRO // distance)
        return 0

    cdef int _add_near(self, Py_ssize_t number, Py_ssize_t weight) except -1:
        cdef int32_t place
        if not 1 <= number <= self.lines.size or self.marks.data[number] & IS_REMOVED:
            return 0
        place = self.place.data[number]
        if place:
            self.weights.data[place - 1] = <int32_t>max(self.weights.data[place - 1], weight)
        elif says_something(self.lines.data[number - 1]):
            self.near.add(<int32_t>number)
            self.weights.add(<int32_t>weight)
            self.place.data[number] = <int32_t>self.near.size
        return 0

    cdef int _add_function(self, Py_ssize_t at, Py_ssize_t count) except -1:
        """Mark the lines of the function around so many lines from `at` on; none at the outermost level."""
        cdef Py_ssize_t start = at if count else max(at - 1, 0)
        cdef Py_ssize_t stop = min(at + count if count else at + 1, self.lines.size)
        cdef Py_ssize_t depth = -1, i, head = NONE
        for i in range(start, stop):
            if stripped(self.lines.data[i]).n:
                depth = max(depth, indentation(self.lines.data[i]))
        if depth < 0:
            return 0
        head = self._head(start, depth)
        i = start if count else stop
        while head == NONE and i < stop:
            if is_head(self.lines.data[i]):
                head = i
            i += 1
        if head == NONE:
            return 0
        for i in range(head + 1, self._end(head, stop - 1) + 1):
            self.marks.data[i] |= IS_IN_FUNCTION
        return 0

    cdef Py_ssize_t _head(self, Py_ssize_t at, Py_ssize_t depth) noexcept:
        """The first line of the innermost function around a line of that depth."""
        cdef Py_ssize_t i, own
        cdef Span text
        for i in range(at, max(at - FARTHEST, -1), -1):
            if depth <= 0:
                return NONE  # the outermost level
            if is_deeper(self.lines.data[i], depth):
                continue
            text = left_stripped(self.lines.data[i])
            if text.n and text.s[0] == c"{":
                # The line that it closes stands above it, at the same depth.
                if right_stripped(text).n == 1:
                    depth = min(depth, indentation(self.lines.data[i]) + 1)
            elif starts_code(text) and not is_label(text):
                own = indentation(self.lines.data[i])
                if own < depth:
                    depth = own
                    if is_head(self.lines.data[i]):
                        return i
        return NONE

    cdef Py_ssize_t _end(self, Py_ssize_t head, Py_ssize_t last) noexcept:
        """Number of the last line of the function that begins at `head` and reaches beyond lines[last]."""
        cdef Py_ssize_t depth = indentation(self.lines.data[head]), i
        cdef Py_ssize_t stop = min(last + FARTHEST, self.lines.size)
        cdef Span text
        for i in range(max(head, last) + 1, stop):
            if is_deeper(self.lines.data[i], depth + 1):
                continue
            text = left_stripped(self.lines.data[i])
            if not text.n or indentation(self.lines.data[i]) > depth:
                continue
            if text.s[0] == c"}":
                return i + 1
            if (starts_code(text) or text.s[0] == c"@") and not is_label(text):
                return i
        return stop
