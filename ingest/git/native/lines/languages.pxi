# The syntax of a language, and what its literals and comments look like on a line. Oracle: `lexing.constructs`.

cdef struct Construct:
    Span marker
    Span opener         # the marker without the newline of one that counts at line starts only
    Span close
    Span string_state   # `=` and the closer: names an open string
    bint is_string, is_docstring


@cython.final
cdef class Language:
    """One language, made once by `changes.native_reading` and used for all its files."""
    cdef object kept
    cdef Construct *blocks      # in the order of the table; the anchored ones after the others
    cdef int *longest_first     # the free ones by length
    cdef Span *marks
    cdef Span *delimiters
    cdef int *strings
    cdef Span *keywords         # open addressing by xxh3; empty places have no length
    cdef Py_ssize_t free_count, block_count, mark_count, delimiter_count, string_count, keyword_slots
    cdef int comment, names
    cdef bint is_prose, joins, braces_are_blocks, has_markup, has_strings, has_docstrings
    cdef uint8_t starts[256]    # bytes with which a literal, a comment or a construct may begin

    def __cinit__(
        self, list free_blocks, list anchored, list delimiters, list marks, int comment, list strings, list keywords,
        int names, bint is_prose, bint joins, bint braces_are_blocks, bint has_markup,
    ):
        """`free_blocks` and `anchored`: (opener, close, `=` + close, is string, is docstring)."""
        cdef Py_ssize_t i
        blocks = [*free_blocks, *anchored]
        self.kept = (blocks, delimiters, marks, keywords)
        self.free_count, self.block_count = len(free_blocks), len(blocks)
        self.mark_count, self.delimiter_count, self.string_count = len(marks), len(delimiters), len(strings)
        self.comment, self.names = comment, names
        self.is_prose, self.joins, self.has_markup = is_prose, joins, has_markup
        self.braces_are_blocks = braces_are_blocks
        self.blocks = <Construct *>self._room(len(blocks), sizeof(Construct))
        self.longest_first = <int *>self._room(len(free_blocks), sizeof(int))
        self.marks = <Span *>self._room(len(marks), sizeof(Span))
        self.delimiters = <Span *>self._room(len(delimiters), sizeof(Span))
        self.strings = <int *>self._room(len(strings), sizeof(int))
        for i, (opener, close, string_state, is_string, is_docstring) in enumerate(blocks):
            if not opener or not close:
                raise ValueError("a construct has an empty delimiter")
            self.blocks[i].marker = self.blocks[i].opener = span_of(opener)
            self.blocks[i].close = span_of(close)
            if i >= self.free_count:
                if opener[:1] != b"\n" or len(opener) < 2:
                    raise ValueError("an anchored construct does not begin with a newline")
                self.blocks[i].opener = span(self.blocks[i].marker.s + 1, self.blocks[i].marker.n - 1)
            self.blocks[i].string_state = span_of(string_state)
            self.blocks[i].is_string, self.blocks[i].is_docstring = is_string, is_docstring
            self.has_strings |= is_string
            self.has_docstrings |= is_docstring
        order = sorted(range(len(free_blocks)), key=lambda i: -len(blocks[i][0]))
        for i in range(len(order)):
            self.longest_first[i] = order[i]
        for i in range(len(marks)):
            if not marks[i]:
                raise ValueError("a comment has an empty mark")
            self.marks[i] = span_of(marks[i])
        for i in range(len(delimiters)):
            if not delimiters[i]:
                raise ValueError("an empty delimiter")
            self.delimiters[i] = span_of(delimiters[i])
        for i in range(len(strings)):
            if not 0 <= strings[i] <= VERBATIM:
                raise ValueError("an unknown kind of literal")
            self.strings[i] = strings[i]
        self._note_starts()
        self._take_keywords(keywords)

    def __dealloc__(self):
        free(self.blocks)
        free(self.longest_first)
        free(self.marks)
        free(self.delimiters)
        free(self.strings)
        free(self.keywords)

    cdef void *_room(self, Py_ssize_t count, size_t item) except NULL:
        cdef void *room = malloc((count + 1) * item)
        if room == NULL:
            raise MemoryError
        return room

    cdef int _note_starts(self) except -1:
        cdef Py_ssize_t i
        memset(self.starts, 0, 256)
        for i in range(self.free_count):
            self.starts[self.blocks[i].opener.s[0]] = 1
        for i in range(self.mark_count):
            self.starts[self.marks[i].s[0]] = 1
        if self.comment == WHOLE_LINE:
            self.starts[c" "] = self.starts[c"\t"] = 1
        for i in range(self.string_count):
            self.starts[c'"' if self.strings[i] in (DOUBLE, RAW_DOUBLE, ATTRIBUTES, VERBATIM) else c"'"] = 1
            if self.strings[i] == ATTRIBUTES:
                self.starts[c"'"] = 1
            if self.strings[i] == VERBATIM:
                self.starts[c"@"] = 1
        return 0

    cdef int _take_keywords(self, list keywords) except -1:
        cdef Py_ssize_t at
        cdef Span word
        self.keyword_slots = 1
        while self.keyword_slots < 4 * len(keywords) + 1:
            self.keyword_slots *= 2
        self.keywords = <Span *>self._room(self.keyword_slots, sizeof(Span))
        memset(self.keywords, 0, self.keyword_slots * sizeof(Span))
        for keyword in keywords:
            word = span_of(keyword)
            at = <Py_ssize_t>(XXH3_64bits(word.s, word.n) & <uint64_t>(self.keyword_slots - 1))
            while self.keywords[at].n:
                at = (at + 1) & (self.keyword_slots - 1)
            self.keywords[at] = word
        return 0

    cdef bint is_keyword(self, Span word) noexcept:
        cdef Py_ssize_t at
        if not word.n:
            return False
        at = <Py_ssize_t>(XXH3_64bits(word.s, word.n) & <uint64_t>(self.keyword_slots - 1))
        while self.keywords[at].n:
            if same(self.keywords[at], word):
                return True
            at = (at + 1) & (self.keyword_slots - 1)
        return False

    cdef bint begins_comment(self, Span code) noexcept:
        """Whether a line without white space at its ends is a line comment."""
        cdef Py_ssize_t i
        for i in range(self.mark_count):
            if starts_with(code, self.marks[i]):
                return True
        return False

    cdef bint comment_at(self, Span line, Py_ssize_t at) noexcept:
        """Whether a line comment begins at `at`; it ends with the line."""
        cdef Py_ssize_t i
        cdef uint8_t before = line.s[at - 1] if at else c"\n"
        if self.comment == NO_COMMENT:
            return False
        if self.comment == WHOLE_LINE:
            if at:
                return False
            while at < line.n and (line.s[at] == c" " or line.s[at] == c"\t"):
                at += 1
        elif self.comment == AFTER_SPACE and before != c"\n" and before != c" " and before != c"\t":
            return False
        elif self.comment == NOT_AFTER_COLON and before == c":":
            return False
        for i in range(self.mark_count):
            if starts_with(span(line.s + at, line.n - at), self.marks[i]):
                return True
        return False

    cdef Py_ssize_t string_at(self, Span line, Py_ssize_t at) noexcept:
        """The end of the literal that begins at `at`, or -1."""
        cdef Py_ssize_t i, end = -1
        cdef int kind
        cdef uint8_t c = line.s[at]
        for i in range(self.string_count):
            kind = self.strings[i]
            if kind == DOUBLE and c == c'"' or kind == SINGLE and c == c"'":
                end = escaped_literal(line, at)
            elif kind == RAW_DOUBLE and c == c'"' or kind == RAW_SINGLE and c == c"'":
                end = raw_literal(line, at)
            elif kind == CHARACTER and c == c"'":
                end = character_literal(line, at)
            elif kind == ATTRIBUTES and (c == c'"' or c == c"'") and at and line.s[at - 1] == c"=":
                end = raw_literal(line, at)
            elif kind == VERBATIM and c == c"@":
                end = verbatim_literal(line, at)
            if end >= 0:
                return end
        return -1

    cdef int next_event(self, Span line, Py_ssize_t at, Py_ssize_t *start, Py_ssize_t *end) noexcept:
        """The next construct, literal or line comment from `at` on: the construct's number, -1 for the others,
        -2 for none."""
        cdef Py_ssize_t i, found
        while at < line.n:
            if not self.starts[line.s[at]]:
                at += 1
                continue
            start[0] = at
            for i in range(self.free_count):
                if starts_with(span(line.s + at, line.n - at), self.blocks[self.longest_first[i]].opener):
                    end[0] = at + self.blocks[self.longest_first[i]].opener.n
                    return self.longest_first[i]
            found = self.string_at(line, at)
            if found < 0 and self.comment_at(line, at):
                found = line.n
            if found >= 0:
                end[0] = found
                return -1
            at += 1
        return -2

    cdef Py_ssize_t code_length(self, Span line) noexcept:
        """The start of the line comment of `line`, or its length without one."""
        cdef Py_ssize_t at = 0, end
        while at < line.n:
            if self.starts[line.s[at]]:
                end = self.string_at(line, at)
                if end >= 0:
                    at = end
                    continue
                if self.comment_at(line, at):
                    return at
            at += 1
        return line.n

    cdef int mask(self, Span line, Bytes out, Bytes scratch) except -1:
        """Append `line` to `out` without its line comment and with each literal as one quotation mark."""
        cdef Py_ssize_t at = 0, end
        cdef Span text = line
        if self.string_count:
            scratch.size = 0
            while at < line.n:
                end = self.string_at(line, at) if self.starts[line.s[at]] else -1
                scratch.add(c'"' if end >= 0 else line.s[at])
                at = end if end >= 0 else at + 1
            text = span(scratch.data, scratch.size)
        if self.comment:
            for at in range(text.n):
                if self.starts[text.s[at]] and self.comment_at(text, at):
                    text.n = at
                    break
        return out.extend(text.s, text.n)


cdef Py_ssize_t escaped_literal(Span line, Py_ssize_t at) noexcept:
    cdef uint8_t quote = line.s[at]
    cdef Py_ssize_t plain = 0
    cdef int escapes = 0
    at += 1
    while at < line.n:
        if line.s[at] == quote:
            return at + 1
        if line.s[at] == c"\\":
            escapes += 1
            if escapes > MAX_ESCAPES or at + 1 >= line.n or line.s[at + 1] == c"\n":
                return -1
            at += 2
            plain = 0
            continue
        plain += 1
        if plain > MAX_PLAIN or line.s[at] == c"\n":
            return -1
        at += 1
    return -1


cdef Py_ssize_t raw_literal(Span line, Py_ssize_t at) noexcept:
    cdef uint8_t quote = line.s[at]
    cdef Py_ssize_t plain = 0
    at += 1
    while at < line.n:
        if line.s[at] == quote:
            return at + 1
        plain += 1
        if plain > MAX_PLAIN or line.s[at] == c"\n":
            return -1
        at += 1
    return -1


cdef Py_ssize_t character_literal(Span line, Py_ssize_t at) noexcept:
    cdef Py_ssize_t k
    if at + 2 >= line.n or line.s[at + 1] == c"\n":
        return -1
    if line.s[at + 1] != c"'" and line.s[at + 1] != c"\\" and line.s[at + 2] == c"'":
        return at + 3
    if line.s[at + 1] == c"\\" and line.s[at + 2] != c"\n":
        for k in range(at + 3, at + 11):
            if k >= line.n or line.s[k] == c"\n":
                return -1
            if line.s[k] == c"'":
                return k + 1
    return -1


cdef Py_ssize_t verbatim_literal(Span line, Py_ssize_t at) noexcept:
    cdef int taken = 0
    at += 1
    if at >= line.n or line.s[at] != c'"':
        return -1
    at += 1
    while at < line.n and taken < MAX_PLAIN:
        if line.s[at] == c"\n":
            return -1
        if line.s[at] != c'"':
            at += 1
        elif at + 1 < line.n and line.s[at + 1] == c'"':
            at += 2
        else:
            break
        taken += 1
    return at + 1 if at < line.n and line.s[at] == c'"' else -1
