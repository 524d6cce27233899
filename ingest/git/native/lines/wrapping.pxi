# Layout that formatters add and remove: brackets that only wrap, and signs that continue a line.
# Oracle: `lexing.wrapping`.

cdef enum:
    MEANS, WRAPS, AFTER_IF, AFTER_NAME, AFTER_LIST     # what stands before a round bracket

cdef struct Opener:
    Py_ssize_t line, first_comma
    int commas, before
    uint8_t sign


cdef inline Py_ssize_t skip_space(Span t, Py_ssize_t at) noexcept:
    while at < t.n and CLASS[t.s[at]] & SPACE:
        at += 1
    return at


cdef inline Py_ssize_t skip_blanks(Span t, Py_ssize_t at) noexcept:
    while at < t.n and (t.s[at] == c" " or t.s[at] == c"\t" or t.s[at] == c"\r"):
        at += 1
    return at


cdef bint ends_a_line(Span code, Py_ssize_t at) noexcept:
    """Whether the bracket at `at` ends its line."""
    at = skip_blanks(code, at + 1)
    return at >= code.n or code.s[at] == c"\n"


cdef inline bint is_boundary(Span t, Py_ssize_t at) noexcept:
    """Whether a word may begin at `at`: after the start, or after neither a name nor a point."""
    return at == 0 or not (CLASS[t.s[at - 1]] & NAME or t.s[at - 1] == c".")


cdef int word_before(Span t) noexcept:
    """What the word at the end of `t`, before white space, makes of a bracket behind it."""
    cdef Span text = right_stripped(t), word
    cdef Py_ssize_t start, at
    if text.n == t.n or not text.n:
        return MEANS
    start = text.n
    while start and CLASS[text.s[start - 1]] & NAME:
        start -= 1
    word = span(text.s + start, text.n - start)
    if is_one_of(word, "in"):
        # `for … in`: at least two signs of white space apart, on one line.
        if not start or not CLASS[text.s[start - 1]] & SPACE:
            return MEANS
        at = start - 2
        while at >= 3:
            if (
                CLASS[text.s[at]] & SPACE and memcmp(text.s + at - 3, b"for", 3) == 0
                and is_boundary(text, at - 3)
            ):
                return AFTER_LIST
            if text.s[at] == c"\n":
                break
            at -= 1
        return MEANS
    if not is_boundary(text, start):
        return MEANS
    if is_one_of(word, "for import with"):
        return AFTER_NAME
    if is_one_of(word, "return yield"):
        return AFTER_LIST
    if is_one_of(word, "if"):
        return AFTER_IF
    if is_one_of(word, "assert case default del elif else raise throw unless until when while"):
        return WRAPS
    return MEANS


cdef int sign_before(Span t) noexcept:
    cdef uint8_t last, before
    t = right_stripped(t)
    if not t.n:
        return MEANS
    last, before = t.s[t.n - 1], t.s[t.n - 2] if t.n > 1 else 0
    if is_sign(last, "([{,:?"):
        return WRAPS
    if last == c"=":
        return MEANS if is_sign(before, "=!<>") else AFTER_LIST
    return WRAPS if last == c">" and before == c"=" else MEANS


cdef bint operator_before_markup(Span code, Py_ssize_t at, Span before) noexcept:
    cdef Py_ssize_t end = skip_blanks(code, at + 1)
    cdef uint8_t last
    if end >= code.n or code.s[end] != c"\n":
        return False
    end = skip_space(code, end)
    if end >= code.n or code.s[end] != c"<":
        return False
    before = right_stripped(before)
    if before.n < 2:
        return False
    last = before.s[before.n - 1]
    return is_sign(last, "&|?") and before.s[before.n - 2] == last


cdef int before_bracket(Span code, Py_ssize_t at) noexcept:
    """The meaning of what stands before the round bracket at `at`."""
    cdef Py_ssize_t start = at - LOOKED_BACK if at > LOOKED_BACK else 0
    cdef Span text = span(code.s + start, at - start)
    cdef int found
    if not ends_a_line(code, at):
        return MEANS
    found = word_before(text)
    if found == MEANS:
        found = sign_before(text)
    if found == MEANS and operator_before_markup(code, at, text):
        found = WRAPS
    return found


cdef bint is_end(Span code, Py_ssize_t at, uint8_t within) noexcept:
    """Whether an expression ends with the round bracket at `at`."""
    cdef Py_ssize_t next = skip_space(code, at + 1), stop
    cdef uint8_t c
    cdef Span word
    if next >= code.n:
        return True
    c = code.s[next]
    if is_sign(c, ":,;)]}"):
        return True
    stop = skip_blanks(code, at + 1)
    if code.s[stop] == c"{":
        return True
    if code.s[stop] == c"=" and not (stop + 1 < code.n and (code.s[stop + 1] == c"=" or code.s[stop + 1] == c">")):
        return True
    if within == c"(" or within == c"[" or code.s[stop] != c"\n":
        return False
    if is_sign(c, "*/%+-.&|^<>=?!"):
        return False
    if not within:
        return True
    stop = next
    while stop < code.n and CLASS[code.s[stop]] & NAME:
        stop += 1
    word = span(code.s + next, stop - next)
    return not is_one_of(word, "and or is not in if else for")


cdef bint only_wraps(Span code, Opener opener, Py_ssize_t at, uint8_t within) noexcept:
    cdef Py_ssize_t next
    cdef bint is_list = within == c"(" or within == c"["
    if opener.before == MEANS or not is_end(code, at, within):
        return False
    if not opener.commas:
        return not is_list or opener.before != AFTER_IF
    if is_list or opener.before < AFTER_NAME:
        return False
    next = skip_space(code, at + 1)
    if next < code.n and code.s[next] == c",":
        return False
    if code.s[opener.first_comma] == c"f":
        return False
    if opener.before == AFTER_NAME:
        return True
    return opener.commas > 1 or stripped(span(code.s + opener.first_comma + 1, at - opener.first_comma - 1)).n > 0


@cython.final
cdef class Wrapping:
    """The lines that end in a bracket that only wraps (1), and those that begin with its closer (2)."""
    cdef Bytes marks
    cdef Opener *stack

    def __cinit__(self):
        self.marks = Bytes()
        self.stack = <Opener *>malloc(MAX_OPEN * sizeof(Opener))
        if self.stack == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.stack)

    cdef int read(self, Span code, Py_ssize_t lines) except -1:
        cdef Py_ssize_t at, line = 0, start = 0, depth = 0, i
        cdef uint8_t c
        cdef bint any_ends = False
        self.marks.size = 0
        self.marks.fill(0, lines)
        for at in range(code.n):
            if code.s[at] == c"(" and ends_a_line(code, at):
                any_ends = True
                break
        if not any_ends:
            return 0
        for at in range(code.n):
            c = code.s[at]
            if c == c"\n":
                line, start = line + 1, at + 1
            elif c == c"," or (c == c"f" and is_for(code, at)):
                if depth:
                    if not self.stack[depth - 1].commas:
                        self.stack[depth - 1].first_comma = at
                    self.stack[depth - 1].commas += 1
            elif is_bracket(c):
                if not opener_of(c):
                    if depth < MAX_OPEN:
                        self.stack[depth].sign = c
                        self.stack[depth].line = line
                        self.stack[depth].before = before_bracket(code, at) if c == c"(" else MEANS
                        self.stack[depth].commas = 0
                        self.stack[depth].first_comma = -1
                        depth += 1
                    continue
                i = depth - 1
                while i >= 0 and self.stack[i].sign != opener_of(c):
                    i -= 1
                if i < 0:
                    continue
                depth = i
                if only_wraps(code, self.stack[i], at, self.stack[i - 1].sign if i else 0) and not stripped(
                    span(code.s + start, at - start)
                ).n:
                    self.marks.data[self.stack[i].line] |= 1
                    self.marks.data[line] |= 2
        return 0

    cdef Span bare(self, Span text, Py_ssize_t line, Arena arena, Bytes scratch) except *:
        """`text` without layout characters."""
        if self.marks.data[line] & 1 and text.n and text.s[text.n - 1] == c"(":
            text = right_stripped(span(text.s, text.n - 1))
        if self.marks.data[line] & 2 and text.n and text.s[0] == c")":
            text = left_stripped(span(text.s + 1, text.n - 1))
        if text.n and text.s[text.n - 1] == c"\\":
            text = right_stripped(span(text.s, text.n - 1))
        if find(text.s, 0, text.n, span(<const uint8_t *><const char *>"=>", 2)) >= 0:
            return without_parameter_brackets(text, arena, scratch)
        return text


cdef inline bint is_for(Span code, Py_ssize_t at) noexcept:
    """Whether the word `for` stands at `at`."""
    return (
        at + 3 <= code.n and code.s[at + 1] == c"o" and code.s[at + 2] == c"r"
        and not (at and CLASS[code.s[at - 1]] & NAME)
        and not (at + 3 < code.n and CLASS[code.s[at + 3]] & NAME)
    )


cdef Span without_parameter_brackets(Span t, Arena arena, Bytes scratch) except *:
    """`t` without the brackets around the single parameter of an arrow function."""
    cdef Py_ssize_t at = 0, name, end, stop
    scratch.size = 0
    while at < t.n:
        if t.s[at] == c"(":
            name = end = skip_space(t, at + 1)
            while end < t.n and CLASS[t.s[end]] & NAME:
                end += 1
            stop = skip_space(t, end)
            if end > name and stop < t.n and t.s[stop] == c")":
                end = skip_space(t, stop + 1)
                if end + 1 < t.n and t.s[end] == c"=" and t.s[end + 1] == c">":
                    scratch.extend(t.s + at + 1, stop - at - 1)
                    at = stop + 1
                    continue
        scratch.add(t.s[at])
        at += 1
    return arena.keep(scratch.data, scratch.size)
