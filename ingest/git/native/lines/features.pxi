# Kinds, logical lines and features of the changed lines on one side of a block. Oracle: `lexing.line_features`.


@cython.final
cdef class Side:
    """The lines of one side, and the facts of the changed ones in parallel columns."""
    cdef Spans lines
    cdef Ints changed                   # positions in `lines`, ascending
    cdef Bytes kind
    cdef Ints owner, count              # as `owner` and `token_count` of the oracle
    cdef Spans text, bare
    cdef Hashes line, layout, shape
    cdef bint has_bare                  # `bare` differs from `text`
    cdef Flat flat
    cdef Spans same_lines, masked
    cdef Bytes masked_text, scratch, other
    cdef Ints starts, next_member, first_member
    cdef Shape shapes
    cdef Wrapping wrapping

    def __cinit__(self):
        self.lines, self.text, self.bare, self.masked, self.same_lines = Spans(), Spans(), Spans(), Spans(), Spans()
        self.changed, self.owner, self.count, self.starts = Ints(), Ints(), Ints(), Ints()
        self.next_member, self.first_member = Ints(), Ints()
        self.line, self.layout, self.shape = Hashes(), Hashes(), Hashes()
        self.kind, self.masked_text, self.scratch, self.other = Bytes(), Bytes(), Bytes(), Bytes()
        self.flat, self.shapes, self.wrapping = Flat(), Shape(), Wrapping()

    cdef int clear(self) except -1:
        self.lines.size = self.changed.size = 0
        return 0

    cdef Py_ssize_t read_lines(self) except -1:
        """The number of lines up to the last changed one."""
        return self.changed.data[self.changed.size - 1] + 1

    cdef Py_ssize_t tokens(self) except -1:
        """The number of tokens in all texts."""
        cdef Py_ssize_t at, found = 0
        for at in range(self.count.size):
            found += self.count.data[at]
        return found

    cdef bint _is_flat(self, Language language, Span inside) except -1:
        cdef Py_ssize_t at
        if inside.n:
            return False
        if language.block_count:
            for at in range(self.read_lines()):
                if may_open(language, self.lines.data[at]):
                    return False
        return True

    cdef Span *_flatten(self, Language language, Span inside, Arena arena) except NULL:
        """The lines without constructs of several lines."""
        if self._is_flat(language, inside):
            self.flat.uncommented.size = 0
            return self.lines.data
        self.flat.read(language, self.lines.data, self.read_lines(), inside, arena)
        return self.flat.flat.data

    cdef int read_kinds(self, Language language, Span inside, Arena arena) except -1:
        """Set only `kind`."""
        cdef Py_ssize_t at
        cdef Span *flat
        cdef Span code
        self.kind.size = 0
        if not self.changed.size:
            return 0
        flat = self._flatten(language, inside, arena)
        for at in range(self.changed.size):
            code = stripped(self.lines.data[self.changed.data[at]])
            if code.n:
                code = stripped(flat[self.changed.data[at]])
                self.kind.add(
                    COMMENT_LINE if not code.n or language.begins_comment(code)
                    or (not language.mark_count and is_nothing(code)) else CODE
                )
            else:
                self.kind.add(BLANK)
        return 0

    cdef int read(
        self, Language language, Span inside, bint with_shapes, bint with_bare, Arena arena
    ) except -1:
        """Set all columns."""
        cdef Py_ssize_t at
        cdef Span text
        cdef Span *flat
        self.owner.size = self.count.size = self.text.size = self.bare.size = 0
        self.line.size = self.layout.size = self.shape.size = 0
        self.has_bare = False
        self.read_kinds(language, inside, arena)
        if not self.changed.size:
            return 0
        flat = self.lines.data if not self.flat.uncommented.size else self.flat.flat.data
        self._cut_comments(language, flat)
        for at in range(self.changed.size):
            text = self.text.data[at]
            self.bare.add(text)
            self.owner.add(<int32_t>at)
            self.count.add(count_tokens(text))
            self.line.add(hash_line(text, self.scratch) if text.n else 0)
            self.layout.add(hash_layout(text, self.scratch) if text.n else 0)
        if language.is_prose or not (language.joins or with_shapes):
            for at in range(self.changed.size if with_shapes else 0):
                self.shape.add(self.line.data[at])
            return 0
        self._mask(language, flat)
        if with_shapes:
            for at in range(self.changed.size):
                text = self._code(language, at)
                if self.kind.data[at] == COMMENT_LINE:
                    self.shape.add(self.line.data[at])
                else:
                    self.shape.add(self.shapes.hash(language, text) if text.n else 0)
        if with_bare and language.joins and language.names == CALLS:
            self.wrapping.read(span(self.masked_text.data, self.masked_text.size), self.masked.size)
            for at in range(self.changed.size):
                text = self.wrapping.bare(self.text.data[at], self.changed.data[at], arena, self.scratch)
                if not same(text, self.text.data[at]):
                    self.has_bare = True
                self.bare.data[at] = text
        if language.joins:
            self.same_lines.size = 0
            for at in range(self.masked.size):
                self.same_lines.add(flat[at])
            find_logical_starts(language, self.same_lines, self.masked, self.starts, self.scratch)
            self._join(language, with_shapes, arena)
        return 0

    cdef int _cut_comments(self, Language language, Span *flat) except -1:
        """Set `text`: the lines without their comments."""
        cdef Py_ssize_t at, mark, end
        cdef Span text, line
        for at in range(self.changed.size):
            text = stripped(self.lines.data[self.changed.data[at]])
            if (
                self.flat.uncommented.size and self.kind.data[at] == CODE
                and self.flat.uncommented.data[self.changed.data[at]].s != NULL
            ):
                text = stripped(self.flat.uncommented.data[self.changed.data[at]])
            self.text.add(text)
        for mark in range(language.mark_count):
            if not self._holds(flat, language.marks[mark]):
                continue
            for at in range(self.changed.size):
                text = self.text.data[at]
                if self.kind.data[at] == CODE and find(text.s, 0, text.n, language.marks[mark]) >= 0:
                    line = stripped(flat[self.changed.data[at]])
                    # The text after the last construct is the same in both; as a slice of Python counts.
                    end = text.n - line.n + language.code_length(line)
                    if end < 0:
                        end = end + text.n if end + text.n > 0 else 0
                    text.n = end if end < text.n else text.n
                    self.text.data[at] = right_stripped(text)
        return 0

    cdef bint _holds(self, Span *flat, Span mark) except -1:
        """Whether a line that is read, and a text, hold a mark."""
        cdef Py_ssize_t at
        for at in range(self.changed.size):
            if find(self.text.data[at].s, 0, self.text.data[at].n, mark) >= 0:
                break
        else:
            return False
        for at in range(self.read_lines()):
            if find(flat[at].s, 0, flat[at].n, mark) >= 0:
                return True
        return False

    cdef int _mask(self, Language language, Span *flat) except -1:
        """Set `masked` and `masked_text`."""
        cdef Py_ssize_t at, before
        self.masked_text.size = self.masked.size = self.starts.size = 0
        for at in range(self.read_lines()):
            if at:
                self.masked_text.add(c"\n")
            before = self.masked_text.size
            language.mask(flat[at], self.masked_text, self.scratch)
            self.masked.add(span(NULL, self.masked_text.size - before))
        before = 0
        for at in range(self.masked.size):
            self.masked.data[at].s = self.masked_text.data + before
            before += self.masked.data[at].n + 1
        return 0

    cdef Span _code(self, Language language, Py_ssize_t at) noexcept:
        """The parts of the shape of a changed line."""
        if language.names == KEYS:
            return self.text.data[at]
        return stripped(self.masked.data[self.changed.data[at]])

    cdef int _join(self, Language language, bint with_shapes, Arena arena) except -1:
        """Set the facts of logical lines with several changed lines on their heads."""
        cdef Py_ssize_t at, start
        cdef int32_t head, member
        # Members of a logical line need not be neighbours, but they come in order.
        self.first_member.size = self.next_member.size = 0
        self.first_member.fill(-1, self.masked.size)
        self.next_member.fill(-1, self.changed.size)
        for at in range(self.changed.size - 1, -1, -1):
            start = self.starts.data[self.changed.data[at]]
            self.next_member.data[at] = self.first_member.data[start]
            self.first_member.data[start] = <int32_t>at
        for at in range(self.changed.size):
            head = self.first_member.data[self.starts.data[self.changed.data[at]]]
            if head == at and self.next_member.data[at] >= 0:
                self._join_members(language, head, with_shapes, arena)
        return 0

    cdef int _join_members(self, Language language, int32_t head, bint with_shapes, Arena arena) except -1:
        cdef int32_t at = head
        cdef uint64_t layout, shape = 0
        cdef Span text, code, bare = span(NULL, 0)
        if with_shapes:
            self.other.size = 0
            while at >= 0:
                if at != head:
                    self.other.add(c"\n")
                code = self._code(language, at)
                self.other.extend(code.s, code.n)
                at = self.next_member.data[at]
            shape = self.shapes.hash(language, span(self.other.data, self.other.size))
        text = self._joined(self.text, head, arena)
        layout = hash_layout(text, self.scratch)
        if self.has_bare:
            bare = self._joined(self.bare, head, arena)
        at = head
        while at >= 0:
            self.layout.data[at] = layout
            if with_shapes:
                self.shape.data[at] = shape
            if at != head:
                self.owner.data[at] = head
                self.count.data[head] += self.count.data[at]
                self.count.data[at] = 0
                self.text.data[at].n = self.bare.data[at].n = 0
            at = self.next_member.data[at]
        self.text.data[head] = text
        self.bare.data[head] = bare if self.has_bare else text
        return 0

    cdef Span _joined(self, Spans texts, int32_t at, Arena arena) except *:
        cdef int32_t head = at
        self.other.size = 0
        while at >= 0:
            if at != head:
                self.other.add(c"\n")
            self.other.extend(texts.data[at].s, texts.data[at].n)
            at = self.next_member.data[at]
        return arena.keep(self.other.data, self.other.size)
