# Tokens of Rust. Oracle: `lexing.rust_tests`.

cdef enum:
    END_TOKEN
    DOC_TOKEN
    WORD_TOKEN
    LITERAL_TOKEN
    SIGN_TOKEN

cdef enum:
    MAX_ESCAPE = 10     # bytes between an escaped character and the closing quote


cdef struct Token:
    int kind
    Py_ssize_t start
    Py_ssize_t stop


cdef inline Token token_of(int kind, Py_ssize_t start, Py_ssize_t stop) noexcept:
    cdef Token made
    made.kind, made.start, made.stop = kind, start, stop
    return made


cdef inline Span text_of(Span data, Token token) noexcept:
    return span(data.s + token.start, token.stop - token.start)


cdef inline uint8_t sign_of(Span data, Token token) noexcept:
    """The sign; 0 for another token."""
    return data.s[token.start] if token.kind == SIGN_TOKEN else 0


cdef inline bint is_word(Span data, Token token, const char *words) noexcept:
    return token.kind == WORD_TOKEN and is_one_of(text_of(data, token), words)


cdef inline uint8_t byte_at(Span data, Py_ssize_t at) noexcept:
    return data.s[at] if at < data.n else 0


cdef Py_ssize_t end_of_comment(Span data, Py_ssize_t at) noexcept:
    """The end of the block comment at `at`, with the comments in it."""
    cdef Py_ssize_t depth = 0
    while at + 1 < data.n:
        if data.s[at] == c"/" and data.s[at + 1] == c"*":
            depth += 1
            at += 2
        elif data.s[at] == c"*" and data.s[at + 1] == c"/":
            depth -= 1
            at += 2
            if not depth:
                return at
        else:
            at += 1
    return data.n


cdef Py_ssize_t end_of_string(Span data, Py_ssize_t at) noexcept:
    """The end of the string whose content begins at `at`."""
    while at < data.n:
        if data.s[at] == c'"':
            return at + 1
        at += 2 if data.s[at] == c"\\" else 1
    return data.n


cdef Py_ssize_t end_of_raw(Span data, Py_ssize_t at) noexcept:
    """The end of the raw string whose `r` stands before `at`; 0 where none begins."""
    cdef Py_ssize_t hashes = 0, i
    cdef const uint8_t *quote
    while byte_at(data, at + hashes) == c"#":
        hashes += 1
    at += hashes
    if byte_at(data, at) != c'"':
        return 0
    at += 1
    while at < data.n:
        quote = <const uint8_t *>memchr(data.s + at, c'"', data.n - at)
        if quote == NULL:
            return data.n
        at = quote - data.s + 1
        i = 0
        while i < hashes and byte_at(data, at + i) == c"#":
            i += 1
        if i == hashes:
            return at + hashes
    return data.n


cdef Py_ssize_t end_of_character(Span data, Py_ssize_t at) noexcept:
    """The end of the character whose opening quote stands at `at`; 0 for a lifetime or a quote alone."""
    cdef Py_ssize_t i, more
    cdef uint8_t first = byte_at(data, at + 1)
    if first == c"\\" and at + 2 < data.n:
        for i in range(at + 3, min(at + 4 + MAX_ESCAPE, data.n)):
            if data.s[i] == c"'":
                return i + 1
            if data.s[i] == c"\n":
                break
        return 0
    if at + 1 >= data.n or first == c"\n" or first == c"'" or first == c"\\" or 0x80 <= first < 0xC0:
        return 0
    more = 0
    if first >= 0xC0:
        while more < 3 and 0x80 <= byte_at(data, at + 2 + more) < 0xC0:
            more += 1
        if not more:
            return 0
    return at + 3 + more if byte_at(data, at + 2 + more) == c"'" else 0


cdef Py_ssize_t end_of_literal(Span data, Py_ssize_t at) noexcept:
    """The end of the text, character or lifetime that begins at `at`; 0 where none does."""
    cdef uint8_t first = data.s[at], second
    cdef Py_ssize_t end
    if first == c'"':
        return end_of_string(data, at + 1)
    if first == c"'":
        end = end_of_character(data, at)
        if end:
            return end
        end = at + 1
        while end < data.n and CLASS[data.s[end]] & WORD:
            end += 1
        return end if end > at + 1 else 0
    second = byte_at(data, at + 1)
    if first == c"r":
        return end_of_raw(data, at + 1)
    if first != c"b" and first != c"c":
        return 0
    if second == c"r":
        return end_of_raw(data, at + 2)
    if second == c'"':
        return end_of_string(data, at + 2)
    return end_of_character(data, at + 1) if first == c"b" and second == c"'" else 0


cdef Token read_token(Span data, Py_ssize_t at) noexcept:
    cdef Py_ssize_t end, start
    cdef const uint8_t *newline
    cdef uint8_t after
    while True:
        while at < data.n and CLASS[data.s[at]] & SPACE:
            at += 1
        if at >= data.n:
            return token_of(END_TOKEN, data.n, data.n)
        start = at
        if data.s[at] == c"/" and byte_at(data, at + 1) == c"/":
            newline = <const uint8_t *>memchr(data.s + at, c"\n", data.n - at)
            at = data.n if newline == NULL else newline - data.s
            if byte_at(data, start + 2) == c"/" and byte_at(data, start + 3) != c"/":
                return token_of(DOC_TOKEN, start, at)
        elif data.s[at] == c"/" and byte_at(data, at + 1) == c"*":
            at = end_of_comment(data, at)
            after = byte_at(data, start + 3)
            if byte_at(data, start + 2) == c"*" and after != c"/" and after != c"*":
                return token_of(DOC_TOKEN, start, at)
        else:
            end = end_of_literal(data, at)
            if end:
                return token_of(LITERAL_TOKEN, start, end)
            while at < data.n and CLASS[data.s[at]] & WORD:
                at += 1
            return token_of(WORD_TOKEN, start, at) if at > start else token_of(SIGN_TOKEN, start, start + 1)


cdef enum:
    OUTSIDE = 1      # stop where an attribute, a comment, a literal or a block may begin
    INSIDE = 2        # stop where a bracket, a comment or a literal may begin

cdef uint8_t STOPS[256]

for _c in range(256):
    STOPS[_c] = OUTSIDE * (chr(_c) in "#/\"'{}") | INSIDE * (chr(_c) in "/\"'([{}])")


cdef inline bint is_plain_word(uint8_t first, uint8_t second) noexcept:
    """Whether a word is neither the beginning of a literal nor one that matters outside attributes."""
    if first == c"b" or first == c"c" or first == c"r":
        return second != c"r" and second != c'"' and second != c"'" and second != c"#"
    return not (first == c"q" and second == c"u") and not (first == c"p" and second == c"a")


cdef Py_ssize_t skip_plain(Span data, Py_ssize_t at, uint8_t stops, bint *has_skipped) noexcept:
    """The position after the words and signs that cannot matter: most of a text."""
    cdef uint8_t sign
    while at < data.n:
        sign = data.s[at]
        if CLASS[sign] & SPACE:
            at += 1
            continue
        if STOPS[sign] & stops:
            break
        if CLASS[sign] & WORD:
            if not is_plain_word(sign, byte_at(data, at + 1)):
                break
            while at < data.n and CLASS[data.s[at]] & WORD:
                at += 1
        else:
            at += 1
        has_skipped[0] = True
    return at
