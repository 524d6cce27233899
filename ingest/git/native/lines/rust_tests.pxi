# Tests within a source file of Rust. Oracle: `lexing.rust_tests`, which also judges the attributes.

cdef enum:
    ITEM_FORM
    BLOCK_FORM
    STATEMENT_FORM
    PART_FORM


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
    cdef bint has_skipped = False
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
        token = read_token(data, skip_plain(data, last, INSIDE, &has_skipped) if depth else last)
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


cdef bint may_have_inner(Span data, Py_ssize_t at) noexcept:
    """Whether an attribute of the file may begin at a position or later."""
    cdef const uint8_t *mark
    while at < data.n:
        mark = <const uint8_t *>memchr(data.s + at, c"#", data.n - at)
        if mark == NULL:
            return False
        at = mark - data.s + 1
        while at < data.n and CLASS[data.s[at]] & SPACE:
            at += 1
        if at < data.n and (data.s[at] == c"!" or data.s[at] == c"/"):
            return True
    return False


cdef bint is_shared(Span data, Py_ssize_t start) noexcept:
    """Whether other text stands before a position on its line."""
    while start and data.s[start - 1] != c"\n":
        start -= 1
        if not CLASS[data.s[start]] & SPACE:
            return True
    return False


cdef Py_ssize_t end_of_attributes(Span data, Py_ssize_t at) noexcept:
    """The position after the comments and the attributes of whole lines from a position on, or one behind it."""
    cdef Py_ssize_t end
    while at < data.n:
        while at < data.n and CLASS[data.s[at]] & SPACE:
            at += 1
        end = line_end(data.s, at, data.n)
        if byte_at(data, at) == c"#":
            if data.s[end - 1] != c"]":
                return data.n
        elif byte_at(data, at) != c"/":
            return at
        elif byte_at(data, at + 1) == c"*":
            return data.n
        at = end
    return at


cdef bint may_open_comment(Span data, Py_ssize_t until) noexcept:
    """Whether a block comment may begin before a position. Its star is rarer than its slash."""
    cdef Py_ssize_t at = 0
    cdef const uint8_t *mark
    while at < until:
        mark = <const uint8_t *>memchr(data.s + at, c"*", until - at)
        if mark == NULL:
            return False
        at = mark - data.s + 1
        if at > 1 and data.s[at - 2] == c"/":
            return True
    return False


cdef bint may_have_test(Span data, Py_ssize_t until) noexcept:
    """Whether a test may begin before a position, wherever texts and comments are."""
    cdef Py_ssize_t at = 0, end
    cdef const uint8_t *mark
    if may_open_comment(data, until):
        return True
    until = end_of_attributes(data, until)
    while at < until:
        mark = <const uint8_t *>memchr(data.s + at, c"#", until - at)
        if mark == NULL:
            return False
        at = mark - data.s + 1
        while at < data.n and CLASS[data.s[at]] & SPACE:
            at += 1
        if byte_at(data, at) == c"!":
            at += 1
            while at < data.n and CLASS[data.s[at]] & SPACE:
                at += 1
        if byte_at(data, at) == c"/":
            return True  # a comment between the signs
        if byte_at(data, at) != c"[":
            continue
        end = at + 1
        # A bracket, a raw text, a character or a comment within the attribute may hide its end.
        while end < data.n and not is_sign(data.s[end], "][#'/"):
            end = end_of_string(data, end + 1) if data.s[end] == c'"' else end + 1
        if byte_at(data, end) != c"]" or end >= until or may_be_test(span(data.s + at, end - at)):
            return True
    return False


def find_rust_tests(bytes text, Py_ssize_t lines, object judge):
    """Lines of each test that begins within so many lines, and names of modules in other files only for tests.

    `judge` says of the tokens of an attribute whether it makes a test.
    """
    cdef Span data = input_of(text)
    cdef Py_ssize_t start = -1, depth = 0, at = 0, end, line = 0, before = 0, until = 0
    cdef bint is_test = False, is_inner = False, has_skipped = False
    cdef Token token, last
    cdef list regions = [], modules = []
    while lines and until < data.n:
        until = next_line(data, until)
        lines -= 1
    # Behind these lines only an attribute of the file says something of them.
    if may_have_inner(data, until):
        until = data.n
    if not may_have_test(data, until):
        return regions, modules
    while True:
        if not is_test:
            has_skipped = False
            at = skip_plain(data, at, OUTSIDE, &has_skipped)
            start = -1 if has_skipped else start
        token = read_token(data, at)
        if token.kind == END_TOKEN or (start < 0 and token.start >= until):
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
                return [(0, count_newlines(data.s, data.n - 1) + 1)], []
            continue
        if is_test:
            end = item_end(data, token)
            if end < 0:
                return regions, modules
            line += count_newlines(data.s + before, start - before)
            before = start
            regions.append(
                (line + is_shared(data, start), line + count_newlines(data.s + start, end - 1 - start) + 1)
            )
            note_module(data, token, modules)
            at = end
        elif is_sign(data.s[token.start], "qp") and is_word(
            data, token, "quote quote_spanned parse_quote parse_quote_spanned"
        ):
            at = skip_macro(data, token.stop)
        elif token.kind == SIGN_TOKEN:
            depth += (data.s[token.start] == c"{") - (data.s[token.start] == c"}")
        start, is_test = -1, False
