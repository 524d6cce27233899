# Lines without their block comments and long strings, and the construct that is open at a line.
# Oracles: `lexing.comments` and `lexing.constructs`. An open construct is named as there; no text means none.


cdef Py_ssize_t find_close(const uint8_t *s, Py_ssize_t start, Py_ssize_t stop, Span close, bint is_string) noexcept:
    cdef Py_ssize_t at = find(s, start, stop, close), first
    if not is_string:
        return at
    while at > start and s[at - 1] == c"\\":
        first = at - 1
        while first > start and s[first - 1] == c"\\":
            first -= 1
        if (at - first) % 2 == 0:
            break
        at = find(s, at + 1, stop, close)
    return at


cdef bint is_docstring(Span prefix, Span tail) noexcept:
    prefix = stripped(prefix)
    if not prefix.n or is_one_of(prefix, "r u b f R U B F rb br Rb rf fr Rf Fr bR rB"):
        return not tail.n or not (
            is_sign(tail.s[tail.n - 1], "([{,=+-*/%\\|&<>")
            or (is_sign(tail.s[0], "\"'") and is_sign(tail.s[tail.n - 1], "\"'"))
        )
    return (
        prefix.n >= 3 and prefix.s[0] == c"@"
        and prefix.s[prefix.n - 3] == c"d" and prefix.s[prefix.n - 2] == c"o" and prefix.s[prefix.n - 1] == c"c"
    )


cdef bint may_open(Language language, Span line) noexcept:
    cdef Py_ssize_t i
    for i in range(language.free_count):
        if find(line.s, 0, line.n, language.blocks[i].opener) >= 0:
            return True
    return anchored_at(language, line) >= 0


cdef Py_ssize_t anchored_at(Language language, Span line) noexcept:
    """The construct that counts at line starts and with which `line` begins, or -1."""
    cdef Py_ssize_t i
    for i in range(language.free_count, language.block_count):
        if starts_with(line, language.blocks[i].opener):
            return i
    return -1


cdef bint text_may_open(Language language, Span data) noexcept:
    """Whether a file may have a construct of several lines."""
    cdef Py_ssize_t i
    for i in range(language.block_count):
        if find(data.s, 0, data.n, language.blocks[i].marker) >= 0:
            return True
    return anchored_at(language, data) >= 0


@cython.final
cdef class Flat:
    """Lines without comments of several lines and with long strings as `""`."""
    cdef Spans flat, uncommented    # uncommented: of lines that were cut, else without a place in memory
    cdef Bytes kept, code
    cdef Py_ssize_t tail_before     # lines above which the last line of code counts; -1 for none

    def __cinit__(self):
        self.flat, self.uncommented = Spans(), Spans()
        self.kept, self.code = Bytes(), Bytes()

    cdef int read(self, Language language, const Span *lines, Py_ssize_t count, Span state, Arena arena) except -1:
        cdef Py_ssize_t at, anchored
        cdef Span line
        self.flat.size = self.uncommented.size = 0
        self.tail_before = -1
        for at in range(count):
            line = lines[at]
            if not state.n and not may_open(language, line):
                self.flat.add(line)
                self.uncommented.add(span(NULL, 0))
                continue
            self.kept.size = self.code.size = 0
            anchored = anchored_at(language, line) if not state.n else -1
            if state.n and state.s[0] == c"\n":
                if starts_with(line, span(state.s + 1, state.n - 1)):
                    state.n = 0
            elif anchored >= 0:
                state = language.blocks[anchored].close
            else:
                if not state.n:
                    self.tail_before = at
                state = self._cut(language, line, state)
            self.flat.add(arena.keep(self.kept.data, self.kept.size))
            self.uncommented.add(arena.keep(self.code.data, self.code.size))
        return 0

    cdef Span _tail(self, Language language) noexcept:
        cdef Py_ssize_t at = self.tail_before - 1
        cdef Span code
        while at >= 0:
            code = stripped(self.flat.data[at])
            if code.n and not language.begins_comment(code) and not (not language.mark_count and code.s[0] == 0):
                return code
            at -= 1
        return span(NULL, 0)

    cdef Span _cut(self, Language language, Span line, Span state) except *:
        """Append one line to `kept` and `code`; the construct that is open after it."""
        cdef Py_ssize_t at = 0, start, end, begin = 0
        cdef int number, pieces = 0
        cdef bint is_string
        cdef Span close
        if state.n:
            is_string = state.s[0] == c"="
            close = span(state.s + 1, state.n - 1) if is_string else state
            end = find_close(line.s, 0, line.n, close, is_string)
            at = line.n if end < 0 else end + close.n
            if is_string and stripped(line).n:
                pieces = 1
                self.kept.fill(c'"', 2)
                self.code.extend(line.s, at)
            if end < 0:
                return state
        start = at
        state = span(NULL, 0)
        while not state.n:
            number = language.next_event(line, at, &begin, &end)
            if number == -2:
                break
            at = end
            if number == -1:
                continue
            close = language.blocks[number].close
            is_string = language.blocks[number].is_string
            end = find_close(line.s, at, line.n, close, is_string)
            self.kept.extend(line.s + start, begin - start)
            self.code.extend(line.s + start, begin - start)
            if is_string and not pieces and language.blocks[number].is_docstring and is_docstring(
                span(line.s + start, begin - start), self._tail(language)
            ):
                is_string = False
                self.kept.size = self.code.size = 0
            elif is_string:
                pieces = 1
                self.kept.fill(c'"', 2)
                self.code.extend(line.s + begin, (line.n if end < 0 else end + close.n) - begin)
            else:
                pieces = 1
                self.kept.add(c" ")
                self.code.add(c" ")
            start = at = line.n if end < 0 else end + close.n
            if end < 0:
                state = language.blocks[number].string_state if is_string else close
        self.kept.extend(line.s + start, line.n - start)
        self.code.extend(line.s + start, line.n - start)
        self._drop_empty_braces()
        return state

    cdef int _drop_empty_braces(self) except -1:
        """Remove braces that held only a comment."""
        cdef Span t = stripped(span(self.kept.data, self.kept.size))
        if t.n < 3 or t.s[0] != c"{" or t.s[1] != c" " or t.s[t.n - 1] != c"}":
            return 0
        if not stripped(span(t.s + 1, t.n - 2)).n:
            self.kept.size = 0
        return 0


cdef bint is_real(Language language, Span data, Py_ssize_t at, Py_ssize_t low) noexcept:
    """Whether the opener at `at` is part of neither a literal nor a line comment. Before `low` all is closed."""
    cdef Py_ssize_t start = at, stop, begin = 0, end = 0, event = 0
    cdef int number
    cdef Span line
    while start > low and start > at - LINE_LIMIT and data.s[start - 1] != c"\n":
        start -= 1
    if not stripped(span(data.s + start, at - start)).n:
        return True
    stop = at + LINE_LIMIT if at + LINE_LIMIT < data.n else data.n
    line = span(data.s + start, line_end(data.s, at, stop) - start)
    while True:
        number = language.next_event(line, event, &begin, &end)
        if number == -2:
            return False
        if start + end > at:
            return start + begin == at and number >= 0
        event = end


cdef enum:
    CLOSED = -1     # no construct is open
    UNSURE = -2     # only reading forwards can decide


cdef inline Py_ssize_t last_before(
    Span data, Py_ssize_t offset, Span what, Py_ssize_t before, Py_ssize_t known
) noexcept:
    """The last place of `what` before `offset`; `known` is the one before `before`, so that no text is read twice."""
    cdef Py_ssize_t start = before - what.n + 1
    cdef Py_ssize_t at = find_last(data.s, start if start > 0 else 0, offset, what)
    return at if at >= 0 else known


cdef int plain_open(Language language, Span data, Py_ssize_t closed, Py_ssize_t at) noexcept:
    """Backwards, for languages with one kind of block comment: 0, CLOSED or UNSURE. `closed` and `at` are the last
    closer and the last opener."""
    cdef Span opener = language.blocks[0].opener, close = language.blocks[0].close
    cdef Py_ssize_t low = 0 if closed < 0 else closed + close.n
    cdef int tries
    if closed > 0 and closed < data.n and opener.n >= 2 and memcmp(data.s + closed - 1, opener.s, 2) == 0:
        return UNSURE
    for tries in range(FALSE_LIMIT):
        if at < low:
            break
        if low and line_end(data.s, low, at) >= at:
            return UNSURE
        if is_real(language, data, at, low):
            return 0
        at = find_last(data.s, low, at, opener)
    return CLOSED


cdef Py_ssize_t next_marker(
    Language language, Py_ssize_t number, Span data, Py_ssize_t start, Py_ssize_t last
) noexcept:
    """The next place of a marker within data[start:last], or a place behind the file."""
    cdef Py_ssize_t at = find(data.s, start, last, language.blocks[number].marker)
    return at if at >= 0 else data.n + 1


cdef bint opens_docstring(Language language, Span data, Py_ssize_t at) noexcept:
    cdef Py_ssize_t start = line_start(data.s, at), end = start - 1
    cdef Span prefix = span(data.s + start, at - start), tail = span(NULL, 0)
    while end > 0 and not tail.n:
        start = line_start(data.s, end)
        tail = stripped(span(data.s + start, end - start))
        if language.begins_comment(tail):
            tail.n = 0
        end = start - 1
    return is_docstring(prefix, tail)


cdef int open_constructs(Language language, Span data, Ints offsets, Spans found) except -1:
    """The construct that is open at each of the ascending `offsets`, in the order of `found`."""
    cdef Py_ssize_t i, closed = -1, opened = -1, before = 0
    cdef int number = CLOSED
    found.size = 0
    if language.free_count == 1 and language.block_count == 1 and not language.has_strings:
        for i in range(offsets.size):
            closed = last_before(data, offsets.data[i], language.blocks[0].close, before, closed)
            opened = last_before(data, offsets.data[i], language.blocks[0].opener, before, opened)
            before = offsets.data[i]
            number = plain_open(language, data, closed, opened)
            if number == UNSURE:
                break
            found.add(language.blocks[0].close if number == 0 else span(NULL, 0))
    if not language.block_count:
        for i in range(offsets.size):
            found.add(span(NULL, 0))
    if found.size < offsets.size:
        walk(language, data, offsets, found)
    return 0


cdef int walk(Language language, Span data, Ints offsets, Spans found) except -1:
    """Forwards from construct to construct, up to the last of the offsets."""
    cdef Py_ssize_t last = offsets.data[offsets.size - 1], position = 0, offset, at, end, after, i, k
    cdef Py_ssize_t *coming = <Py_ssize_t *>malloc(language.block_count * sizeof(Py_ssize_t))
    cdef Construct *block
    cdef bint is_anchored, is_comment
    cdef Span state
    if coming == NULL:
        raise MemoryError
    try:
        found.size = 0
        for i in range(language.block_count):
            coming[i] = next_marker(language, i, data, 0, last)
        for k in range(offsets.size):
            offset = offsets.data[k]
            state = span(NULL, 0)
            while position < offset:
                i = nearest(language, coming)
                at, block = coming[i], &language.blocks[i]
                if at >= offset:
                    break
                is_anchored = i >= language.free_count
                if not is_anchored and not is_real(language, data, at, position):
                    coming[i] = next_marker(language, i, data, at + 1, last)
                    continue
                end = find_close(data.s, at + block.marker.n, data.n, block.close, block.is_string)
                after = end + block.close.n
                if end < 0:
                    after = last + 1
                elif is_anchored:
                    after = line_end(data.s, after, data.n)
                if after > offset:
                    is_comment = not block.is_string or (block.is_docstring and opens_docstring(language, data, at))
                    state = block.close if is_comment else block.string_state
                    break
                position = after
                for i in range(language.block_count):
                    if coming[i] < position:
                        coming[i] = next_marker(language, i, data, position - (i >= language.free_count), last)
            found.add(state)
    finally:
        free(coming)
    return 0


cdef Py_ssize_t nearest(Language language, Py_ssize_t *coming) noexcept:
    """The construct that comes first; of several at one place the one with the longest marker."""
    cdef Py_ssize_t best = 0, i
    for i in range(1, language.block_count):
        if coming[i] < coming[best] or (
            coming[i] == coming[best] and language.blocks[i].marker.n > language.blocks[best].marker.n
        ):
            best = i
    return best
