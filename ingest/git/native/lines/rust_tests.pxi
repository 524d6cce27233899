# Tests within a source file of Rust. Oracle: `lexing.rust_tests`, which also judges the attributes.

cdef enum:
    END_TOKEN
    DOC_TOKEN
    WORD_TOKEN
    LITERAL_TOKEN
    SIGN_TOKEN

cdef enum:
    ITEM_FORM
    BLOCK_FORM
    STATEMENT_FORM
    PART_FORM

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


cdef int read_attribute(Span data, Token mark, Token *end, bint *is_inner) noexcept:
    """Whether `#` begins an attribute; `end` is its last token, and the end of the text for an open one."""
    cdef Token token = read_token(data, mark.stop)
    cdef Py_ssize_t depth = 1
    is_inner[0] = sign_of(data, token) == c"!"
    if is_inner[0]:
        token = read_token(data, token.stop)
    if sign_of(data, token) != c"[":
        return False
    while depth:
        token = read_token(data, token.stop)
        if token.kind == END_TOKEN:
            is_inner[0] = True
            break
        depth += (sign_of(data, token) == c"[") - (sign_of(data, token) == c"]")
    end[0] = token
    return True


cdef bint may_be_test(Span text) noexcept:
    return (
        find(text.s, 0, text.n, span(<const uint8_t *><const char *>"test", 4)) >= 0
        or find(text.s, 0, text.n, span(<const uint8_t *><const char *>"bench", 5)) >= 0
        or find(text.s, 0, text.n, span(<const uint8_t *><const char *>"quickcheck", 10)) >= 0
        or find(text.s, 0, text.n, span(<const uint8_t *><const char *>"parameterized", 13)) >= 0
    )


cdef bint is_test_by(object judge, Span data, Token mark, Token end) except -1:
    """What `judge` says of the tokens of an attribute."""
    cdef Token token = mark
    cdef list tokens = []
    if end.kind == END_TOKEN or not may_be_test(span(data.s + mark.stop, end.start - mark.stop)):
        return False
    while sign_of(data, token) != c"[":
        token = read_token(data, token.stop)
    token = read_token(data, token.stop)
    while token.start < end.start and len(tokens) <= MAX_ATTRIBUTE_TOKENS:
        if token.kind == WORD_TOKEN or token.kind == SIGN_TOKEN:
            tokens.append(PyBytes_FromStringAndSize(<const char *>data.s + token.start, token.stop - token.start))
        else:
            tokens.append(b'"')
        token = read_token(data, token.stop)
    return judge(tokens)


cdef Py_ssize_t skip_macro(Span data, Py_ssize_t at) noexcept:
    """The position after the arguments of a macro whose name ends at `at`."""
    cdef Token mark = read_token(data, at), token = read_token(data, mark.stop)
    cdef Py_ssize_t depth = 1
    if sign_of(data, mark) != c"!" or not is_sign(sign_of(data, token), "([{"):
        return at
    while depth and token.kind != END_TOKEN:
        token = read_token(data, token.stop)
        depth += is_sign(sign_of(data, token), "([{") - is_sign(sign_of(data, token), ")]}")
    return token.stop


cdef Token after_rights(Span data, Token after) noexcept:
    """The token after the `(crate)` of `pub(crate)`, where it stands."""
    if sign_of(data, after) == c"(":
        while after.kind != END_TOKEN and sign_of(data, after) != c")":
            after = read_token(data, after.stop)
        after = read_token(data, after.stop)
    return after


cdef int form_of(Span data, Token token) noexcept:
    """How the item that begins with a token ends."""
    cdef Token after
    while token.kind == WORD_TOKEN or token.kind == LITERAL_TOKEN:
        after = read_token(data, token.stop)
        if is_word(data, token, "if match for while loop macro_rules"):
            return BLOCK_FORM
        if is_word(data, token, "use static type let crate"):
            return STATEMENT_FORM
        if is_word(data, token, "fn mod impl struct enum trait union"):
            return PART_FORM if sign_of(data, after) == c":" else ITEM_FORM
        if is_word(data, token, "const"):
            if not is_word(data, after, "fn unsafe async extern"):
                return STATEMENT_FORM
        elif is_word(data, token, "pub"):
            after = after_rights(data, after)
        elif token.kind == WORD_TOKEN and not is_word(data, token, "default unsafe async extern safe"):
            return PART_FORM
        token = after
    return BLOCK_FORM if sign_of(data, token) == c"{" else PART_FORM


cdef Py_ssize_t item_end(Span data, Token token) noexcept:
    """The position after the item that begins with a token; -1 where it does not end."""
    cdef int form = form_of(data, token)
    cdef bint is_if = is_word(data, token, "if"), has_angles = form == ITEM_FORM or form == PART_FORM
    cdef Py_ssize_t depth = 0, angles = 0, last = token.start, end
    cdef uint8_t sign
    while token.kind != END_TOKEN:
        sign = sign_of(data, token)
        if is_sign(sign, "([{"):
            depth += 1
        elif is_sign(sign, ")]}"):
            if not depth:
                return last
            depth -= 1
            if sign == c"}" and not depth and not angles and form != STATEMENT_FORM:
                end = end_of_block(data, token.stop, form, is_if)
                if end:
                    return end
        elif sign and not depth:
            if sign == c";" or (sign == c"," and form == PART_FORM and not angles):
                return token.stop
            if sign == c"=":
                angles = 0
                has_angles = has_angles and form != PART_FORM
            elif has_angles and sign == c"<":
                angles += 1
            elif sign == c">" and angles and data.s[token.start - 1] != c"-" and data.s[token.start - 1] != c"=":
                angles -= 1
        last = token.stop
        token = read_token(data, token.stop)
    return -1


cdef Py_ssize_t end_of_block(Span data, Py_ssize_t stop, int form, bint is_if) noexcept:
    """Where the item ends whose block ends at `stop`; 0 where it goes on."""
    cdef Token after = read_token(data, stop)
    if is_if and is_word(data, after, "else"):
        return 0
    if form == PART_FORM:
        if is_sign(sign_of(data, after), "=.?|") or is_word(data, after, "if"):
            return 0
        if sign_of(data, after) == c",":
            return after.stop
    return stop


cdef int note_module(Span data, Token token, list modules) except -1:
    """Note the name of a module that is another file."""
    cdef Token name
    while is_word(data, token, "pub"):
        token = after_rights(data, read_token(data, token.stop))
    if is_word(data, token, "mod"):
        name = read_token(data, token.stop)
        if name.kind == WORD_TOKEN and sign_of(data, read_token(data, name.stop)) == c";":
            modules.append(PyBytes_FromStringAndSize(<const char *>data.s + name.start, name.stop - name.start))
    return 0


def find_rust_tests(bytes text, object judge):
    """Start and stop of each test, and names of modules in other files that exist only in tests.

    `judge` says of the tokens of an attribute whether it makes a test.
    """
    cdef Span data = input_of(text)
    cdef Py_ssize_t start = -1, depth = 0, at = 0, end
    cdef bint is_test = False, is_inner = False
    cdef Token token, last
    cdef list regions = [], modules = []
    while True:
        token = read_token(data, at)
        if token.kind == END_TOKEN:
            return regions, modules
        at = token.stop
        if token.kind == DOC_TOKEN:
            start = token.start if start < 0 else start
            continue
        if sign_of(data, token) == c"#" and read_attribute(data, token, &last, &is_inner):
            at = last.stop
            if not is_inner:
                start = token.start if start < 0 else start
                is_test = is_test or is_test_by(judge, data, token, last)
            elif not depth and is_test_by(judge, data, token, last):
                return [(0, data.n)], []
            continue
        if is_test:
            end = item_end(data, token)
            if end < 0:
                return regions, modules
            regions.append((start, end))
            note_module(data, token, modules)
            at = end
        elif is_word(data, token, "quote quote_spanned parse_quote parse_quote_spanned"):
            at = skip_macro(data, token.stop)
        elif token.kind == SIGN_TOKEN:
            depth += (data.s[token.start] == c"{") - (data.s[token.start] == c"}")
        start, is_test = -1, False
