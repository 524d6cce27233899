# Tokens, hashes and shapes of lines. Oracle: `lexing.tokens`.


cdef inline Py_ssize_t next_token(Span t, Py_ssize_t at, Py_ssize_t *end) noexcept:
    """The start of the next token from `at` on, or -1. Scripts without spaces give a token per character."""
    cdef uint8_t c
    cdef Py_ssize_t stop
    while at < t.n and not CLASS[t.s[at]] & (WORD | SIGN):
        at += 1
    if at >= t.n:
        return -1
    stop = at
    while stop < t.n:
        c = t.s[stop]
        if c < 0x80:
            if not CLASS[c] & WORD:
                break
            stop += 1
        elif 0xC2 <= c <= 0xE2 and stop + 1 < t.n and t.s[stop + 1] & 0xC0 == 0x80:
            stop += 2
            while stop < t.n and t.s[stop] & 0xC0 == 0x80:
                stop += 1
        else:
            break
    if stop == at:
        c = t.s[at]
        stop += 1
        if 0xE3 <= c <= 0xED:
            if at + 2 < t.n and t.s[at + 1] & 0xC0 == 0x80 and t.s[at + 2] & 0xC0 == 0x80:
                stop = at + 3
        elif 0xEE <= c <= 0xF4:
            while stop < t.n and t.s[stop] & 0xC0 == 0x80:
                stop += 1
    end[0] = stop
    return at


cdef int count_tokens(Span t) noexcept:
    cdef Py_ssize_t at = 0, end = 0
    cdef int found = 0
    while True:
        at = next_token(t, at, &end)
        if at < 0:
            return found
        found += 1
        at = end


cdef Span normalised(Span t, Bytes scratch) except *:
    """`t` stripped, with each run of white space as one blank; valid until the next use of `scratch`."""
    cdef Py_ssize_t at = 0
    cdef bint needed = False
    t = stripped(t)
    for at in range(t.n):
        if t.s[at] == c"\t" or (t.s[at] == c" " and at + 1 < t.n and t.s[at + 1] == c" "):
            needed = True
            break
    if not needed:
        return t
    scratch.size = 0
    at = 0
    while at < t.n:
        if CLASS[t.s[at]] & SPACE:
            scratch.add(c" ")
            while at < t.n and CLASS[t.s[at]] & SPACE:
                at += 1
        else:
            scratch.add(t.s[at])
            at += 1
    return span(scratch.data, scratch.size)


cdef uint64_t hash_line(Span t, Bytes scratch) except? 0:
    """Hash without the kind of quotes, and without `;` and `,` at the end."""
    cdef Py_ssize_t at, end
    t = normalised(t, scratch)
    end = t.n
    while end and (t.s[end - 1] == c";" or t.s[end - 1] == c"," or t.s[end - 1] == c" "):
        end -= 1
    if end:
        t.n = end
    if t.n and memchr(t.s, c"'", t.n) != NULL:
        if t.s != scratch.data:
            scratch.size = 0
            scratch.extend(t.s, t.n)
            t = span(scratch.data, scratch.size)
        for at in range(t.n):
            if scratch.data[at] == c"'":
                scratch.data[at] = c'"'
    return XXH3_64bits(t.s, t.n)


cdef uint64_t hash_layout(Span t, Bytes scratch) except? 0:
    """Hash without white space, commas before closing brackets, `;` and `,` at the end, and the kind of quotes."""
    cdef Py_ssize_t at, kept = 0
    cdef uint8_t c, following
    scratch.size = 0
    for at in range(t.n):
        c = t.s[at]
        if not CLASS[c] & SPACE:
            scratch.add(c'"' if c == c"'" else c)
    # A comma before a bracket goes first, then the signs at the end.
    for at in range(scratch.size):
        c = scratch.data[at]
        following = scratch.data[at + 1] if at + 1 < scratch.size else 0
        if c == c"," and (following == c")" or following == c"]" or following == c"}"):
            continue
        scratch.data[kept] = c
        kept += 1
    while kept and (scratch.data[kept - 1] == c"," or scratch.data[kept - 1] == c";"):
        kept -= 1
    scratch.size, kept = kept, 0
    for at in range(scratch.size):
        if scratch.data[at] == c"\\" and at + 1 < scratch.size and scratch.data[at + 1] == c'"':
            continue
        scratch.data[kept] = scratch.data[at]
        kept += 1
    return XXH3_64bits(scratch.data, kept)


cdef int fold(Span name, Bytes out) except -1:
    """Append `name` with every number replaced by one sign."""
    cdef Py_ssize_t at
    for at in range(name.n):
        if not CLASS[name.s[at]] & DIGIT:
            out.add(name.s[at])
        elif not at or not CLASS[name.s[at - 1]] & DIGIT:
            out.add(c"0")
    return 0


@cython.final
cdef class Shape:
    """Shapes of code with its literals masked."""
    cdef Bytes out, packed
    cdef Py_ssize_t barren     # places before it are known to begin no key or attribute

    def __cinit__(self):
        self.out, self.packed = Bytes(), Bytes()

    cdef uint64_t hash(self, Language language, Span code) except? 0:
        cdef Py_ssize_t at = 0, end = 0, count = 0
        cdef bint is_command = language.names == COMMANDS or language.names == NESTED_COMMANDS
        cdef bint first_is_name = False
        cdef Span first = span(NULL, 0), second = span(NULL, 0), text
        if language.is_prose or (
            language.names == TAGS
            and not (code.n and (memchr(code.s, c"<", code.n) != NULL or memchr(code.s, c"{", code.n) != NULL))
        ):
            text = normalised(code, self.packed)
            return XXH3_64bits(text.s, text.n)
        self.out.size = self.barren = 0
        while True:
            at = self._next(language, code, at, &end)
            if at < 0:
                break
            text = span(code.s + at, end - at)
            if count:
                self.out.add(c" ")
            if not count:
                first = text
            elif count == 1 and first_is_name:
                self._keep_command(first, text)
            self._symbol(language, text)
            count += 1
            if count == 1:
                first_is_name = is_command and self.out.size == 1 and self.out.data[0] == c"a"
            at = end
        if count == 1 and first_is_name:
            self.out.size = 0
            fold(first, self.out)
        return XXH3_64bits(self.out.data, self.out.size)

    cdef int _keep_command(self, Span first, Span second) except -1:
        """Replace the abstracted first name, unless it is assigned to."""
        if second.n == 1 and second.s[0] == c"=":
            return 0
        self.out.size = 0
        fold(first, self.out)
        return self.out.add(c" ")

    cdef Py_ssize_t _next(self, Language language, Span t, Py_ssize_t at, Py_ssize_t *end) except -2:
        cdef uint8_t c
        cdef Py_ssize_t stop
        cdef int names = language.names
        while at < t.n:
            c = t.s[at]
            if names == KEYS:
                stop = self._key(t, at)
                if stop < 0 and language.starts[c]:
                    stop = language.string_at(t, at)
                if stop >= 0:
                    end[0] = stop
                    return at
            elif names == TAGS:
                stop = self._tag(t, at)
                if stop >= 0:
                    end[0] = stop
                    return at
            elif names == NESTED_COMMANDS and (
                c == c"[" or c == c"(" or c == c"|" or c == c";" or c == c"&"
            ):
                stop = at + 1
                while stop < t.n and (t.s[stop] == c" " or t.s[stop] == c"\t"):
                    stop += 1
                if stop < t.n and CLASS[t.s[stop]] & WORD:
                    end[0] = word_end(t, stop)
                    return at
            if CLASS[c] & WORD:
                stop = word_end(t, at)
                if names <= NESTED_COMMANDS and stop < t.n and t.s[stop] == c"(":
                    stop += 1
                end[0] = stop
                return at
            if CLASS[c] & SIGN:
                end[0] = at + 1
                return at
            at += 1
        return -1

    cdef Py_ssize_t _key(self, Span t, Py_ssize_t at) noexcept:
        """The end of a name that something is assigned to, or -1."""
        cdef Py_ssize_t start = at
        if t.s[at] == c'"' or t.s[at] == c"'":
            start += 1
        elif at < self.barren:
            return -1
        at = start
        while at < t.n and (CLASS[t.s[at]] & WORD or t.s[at] == c"." or t.s[at] == c"-"):
            at += 1
        if at == start:
            return -1
        self.barren = at
        if at < t.n and (t.s[at] == c'"' or t.s[at] == c"'"):
            at += 1
        while at < t.n and (t.s[at] == c" " or t.s[at] == c"\t"):
            at += 1
        return at + 1 if at < t.n and (t.s[at] == c":" or t.s[at] == c"=" or t.s[at] == c"(") else -1

    cdef Py_ssize_t _tag(self, Span t, Py_ssize_t at) noexcept:
        """The end of the name of a tag or an attribute, or -1."""
        cdef Py_ssize_t stop = at + 1
        if t.s[at] == c"<":
            if stop < t.n and t.s[stop] == c"/":
                stop += 1
            at = stop
            while stop < t.n and (is_tag(t.s[stop]) or t.s[stop] == c"-"):
                stop += 1
            return stop if stop > at else -1
        if at < self.barren or not (is_tag(t.s[at]) or t.s[at] == c"-" or t.s[at] == c"@"):
            return -1
        while stop < t.n and (is_tag(t.s[stop]) or t.s[stop] == c"-" or t.s[stop] == c"@"):
            stop += 1
        if stop < t.n and t.s[stop] == c"=":
            return stop + 1
        self.barren = stop
        return -1

    cdef int _symbol(self, Language language, Span token) except -1:
        """Append the form of a token in a shape."""
        cdef uint8_t c = token.s[0], last = token.s[token.n - 1]
        cdef Py_ssize_t at
        cdef Span name
        if language.is_keyword(token):
            return self.out.extend(token.s, token.n)
        if not CLASS[c] & WORD:
            if (c == c'"' or c == c"'") and last != c":" and last != c"=":
                return self.out.add(c'"')
            if token.n == 1:
                return self.out.add(c)
            self.packed.size = 0
            for at in range(token.n):
                if not CLASS[token.s[at]] & SPACE:
                    self.packed.add(token.s[at])
            return fold(span(self.packed.data, self.packed.size), self.out)
        if last == c"(" or last == c":" or last == c"=":
            name = right_stripped(span(token.s, token.n - 1))
            if language.is_keyword(name):
                self.out.extend(name.s, name.n)
                self.out.add(c" ")
            else:
                fold(name, self.out)
            return self.out.add(last)
        return self.out.add(c"0" if CLASS[c] & DIGIT else c"a")


cdef inline bint is_tag(uint8_t c) noexcept:
    return (CLASS[c] & NAME) != 0 or c == c":" or c == c"."


cdef inline Py_ssize_t word_end(Span t, Py_ssize_t at) noexcept:
    while at < t.n and CLASS[t.s[at]] & WORD:
        at += 1
    return at
