"""A lexer for tests: slow and obvious, character by character, for C and JavaScript."""

BLANK, COMMENT, CODE = 0, 1, 2


def _literal_end(line: bytes, at: int) -> int:
    """The end of the literal that begins at `at`, if it is on the same line; else `at`."""
    quote = line[at]
    i = at + 1
    while i < len(line):
        if line[i] == 0x5C:
            i += 2
        elif line[i] == quote:
            return i + 1
        else:
            i += 1
    return at


def _template_end(line: bytes, at: int) -> int:
    i = at
    while i < len(line):
        if line[i] == 0x5C:
            i += 2
        elif line[i : i + 1] == b"`":
            return i + 1
        else:
            i += 1
    return -1


def _scan(lines: list[bytes], *, templates: bool) -> tuple[list[bytes], list[bytes | None]]:
    """The construct that is open at the start of each line, and the lines without comments (`//` stays) with
    literals as `"`.
    """
    scanned: list[bytes] = []
    states: list[bytes | None] = []
    state: bytes | None = None
    for line in lines:
        states.append(state)
        kept = b""
        i = 0
        while True:
            if state == b"*/":
                end = line.find(b"*/", i)
                if end < 0:
                    break
                i, state = end + 2, None
            elif state == b"=`":
                kept += b'"'
                end = _template_end(line, i)
                if end < 0:
                    break
                i, state = end, None
            elif i >= len(line):
                break
            elif line.startswith(b"/*", i):
                i, state = i + 2, b"*/"
                kept += b" "
            elif line.startswith(b"//", i) and line[i - 1 : i] != b":":
                kept += b"//"
                break
            elif templates and line[i : i + 1] == b"`":
                i, state = i + 1, b"=`"
            elif line[i : i + 1] in (b'"', b"'") and _literal_end(line, i) > i:
                kept += b'"'
                i = _literal_end(line, i)
            else:
                kept += line[i : i + 1]
                i += 1
        scanned.append(kept)
    return scanned, states


def _kinds(lines: list[bytes], scanned: list[bytes]) -> list[int]:
    kinds = []
    for line, kept in zip(lines, scanned, strict=True):
        if not line.strip():
            kinds.append(BLANK)
        # Comments written in JSX stand in braces.
        elif (
            not kept.strip()
            or kept.strip().startswith(b"//")
            or (kept.split() == [b"{", b"}"] and b"/*" in line)
        ):
            kinds.append(COMMENT)
        else:
            kinds.append(CODE)
    return kinds


def c_kinds_and_states(lines: list[bytes]) -> tuple[list[int], list[bytes | None]]:
    """Kind of each line of C, and the construct that is open at its start."""
    scanned, states = _scan(lines, templates=False)
    return _kinds(lines, scanned), states


def javascript_kinds_and_states(lines: list[bytes]) -> tuple[list[int], list[bytes | None]]:
    """The same for JavaScript, where strings in backticks may span lines."""
    scanned, states = _scan(lines, templates=True)
    return _kinds(lines, scanned), states


def c_owners(lines: list[bytes]) -> list[int]:
    """The first line of the logical line of each line of C."""
    scanned, _ = _scan(lines, templates=False)
    kinds = _kinds(lines, scanned)
    owners = list(range(len(lines)))
    open_brackets = ""
    start, length = None, 0
    for i, kept in enumerate(scanned):
        if kinds[i] != CODE:
            continue
        joins = open_brackets[-1:] in ("(", "[") and open_brackets
        if start is None or not joins or length == 10:
            start, length = i, 0
        length += 1
        owners[i] = start
        for character in kept.decode("latin-1"):
            if character in "([{":
                open_brackets += character
            elif character in ")]}":
                opener = "([{"[")]}".index(character)]
                if opener in open_brackets:
                    open_brackets = open_brackets[: open_brackets.rindex(opener)]
    return owners
