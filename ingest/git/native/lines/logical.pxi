# Logical lines: physical lines of code, joined while a bracket is open. Oracle: `lexing.logical_lines`.


cdef inline uint8_t opener_of(uint8_t c) noexcept:
    """The bracket that `c` closes, or 0."""
    return c"(" if c == c")" else c"[" if c == c"]" else c"{" if c == c"}" else 0


cdef inline bint is_bracket(uint8_t c) noexcept:
    return opener_of(c) or c == c"(" or c == c"[" or c == c"{"


cdef inline bint is_letter(uint8_t c) noexcept:
    return c"A" <= (c & 0xDF) <= c"Z"


cdef bint begins_tag(Span line) noexcept:
    """Whether a line begins with a tag."""
    line = left_stripped(line)
    return line.n >= 2 and line.s[0] == c"<" and (
        line.s[1] == c"/" or line.s[1] == c">" or (line.s[1] < 0x80 and is_letter(line.s[1]))
    )


cdef int left_open(Span line, Bytes brackets) except -1:
    """The brackets of a line without those that pair on it, down to a certain depth."""
    cdef Py_ssize_t at, kept, before
    cdef int turn, pair
    cdef uint8_t opener, following
    brackets.size = 0
    for at in range(line.n):
        if is_bracket(line.s[at]):
            brackets.add(line.s[at])
    for turn in range(FOLDS):
        before = brackets.size
        for pair in range(3):
            opener = c"(" if pair == 0 else c"[" if pair == 1 else c"{"
            kept = at = 0
            while at < brackets.size:
                following = brackets.data[at + 1] if at + 1 < brackets.size else 0
                if brackets.data[at] == opener and opener_of(following) == opener:
                    at += 2
                    continue
                brackets.data[kept] = brackets.data[at]
                kept += 1
                at += 1
            brackets.size = kept
        if brackets.size == before:
            break
    return 0


cdef int find_logical_starts(Language language, Spans flat, Spans masked, Ints starts, Bytes scratch) except -1:
    """For each line the position of the head of its logical line."""
    cdef uint8_t stack[MAX_OPEN]
    cdef Py_ssize_t depth = 0, position, k, i
    cdef int start = 0, count = 0
    cdef Span code
    starts.size = 0
    for position in range(masked.size):
        starts.add(<int32_t>position)
        left_open(masked.data[position], scratch)
        if depth:
            code = stripped(flat.data[position])
            if not code.n or language.begins_comment(code) or (not language.mark_count and is_nothing(code)):
                continue
            if (
                count == MAX_PHYSICAL_LINES
                or (stack[depth - 1] == c"{" and language.braces_are_blocks)
                or (language.has_markup and begins_tag(masked.data[position]))
            ):
                start, count = <int>position, 0
            starts.data[position] = start
            count += 1
        elif scratch.size:
            start, count = <int>position, 1
        for k in range(scratch.size):
            if not opener_of(scratch.data[k]):
                if depth < MAX_OPEN:
                    stack[depth] = scratch.data[k]
                    depth += 1
                continue
            i = depth - 1
            while i >= 0 and stack[i] != opener_of(scratch.data[k]):
                i -= 1
            if i >= 0:
                depth = i
    return 0


cdef inline bint is_nothing(Span code) noexcept:
    """What the oracle takes for a comment in languages without line comments."""
    return code.n >= 2 and code.s[0] == 0 and code.s[1] == 0
