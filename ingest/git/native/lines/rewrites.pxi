# Added lines that are a removed line but for some runs of tokens. Oracles: `changes.rewrites`, `lexing.token_edits`.


@cython.final
cdef class Rewrites:
    """Pairs of the heads that a substitution leaves over, and the edits between their tokens."""
    cdef Ints theirs, mine      # rows of removed and added lines
    cdef Ints balance           # tokens of an added line, by number
    cdef TokenLists old, new
    cdef Spans tokens
    cdef Hashes keys
    cdef Bytes scratch

    def __cinit__(self):
        self.theirs, self.mine, self.balance = Ints(), Ints(), Ints()
        self.keys, self.scratch = Hashes(), Bytes()

    cdef int find(
        self, Side removed, Side added, Comparison compared, Substitutions pairs, const uint8_t *is_layout,
        Py_ssize_t first, Py_ssize_t first_removed, dict found,
    ) except -1:
        """Add to `found` what `pairs`, which has seen this block, does not have. Rows count as there."""
        cdef Py_ssize_t i
        cdef bint has_new = False
        self.theirs.size = self.mine.size = 0
        for i in range(added.changed.size):
            if added.bare.data[i].n and not is_layout[i] and not pairs.replacing.data[i]:
                self.mine.add(<int32_t>i)
                has_new = has_new or compared.tokens.data[i]
        if not has_new:
            return 0
        for i in range(removed.changed.size):
            if removed.bare.data[i].n and not compared.claimed.data[i] and not pairs.replaced.data[i]:
                self.theirs.add(<int32_t>i)
        self.old = compared.removed_bare if removed.has_bare else compared.removed
        self.new = compared.added_bare if added.has_bare else compared.added
        self.tokens = compared.vocabulary.tokens
        if self.theirs.size == self.mine.size:
            for i in range(self.mine.size):
                self._pair(i, i, compared, first, first_removed, found)
        elif self.theirs.size:
            self._pair_nearest(compared, first, first_removed, found)
        return 0

    cdef int _pair(
        self, Py_ssize_t i, Py_ssize_t j, Comparison compared, Py_ssize_t first, Py_ssize_t first_removed, dict found
    ) except -1:
        cdef int32_t theirs = self.theirs.data[i], mine = self.mine.data[j]
        if compared.tokens.data[mine] and self._compare(theirs, mine):
            found[first + mine] = (first_removed + theirs, *[self.keys.data[k] for k in range(self.keys.size)])
        return 0

    cdef int _pair_nearest(
        self, Comparison compared, Py_ssize_t first, Py_ssize_t first_removed, dict found
    ) except -1:
        cdef Py_ssize_t i, j, k, start = 0, best, size
        cdef int32_t common, most, token
        cdef int32_t *ends
        self.balance.size = 0
        self.balance.fill(0, self.tokens.size)
        for j in range(self.mine.size):
            best, most = -1, 0
            ends = self.new.starts.data + self.mine.data[j]
            for k in range(ends[0], ends[1]):
                self.balance.data[self.new.ids.data[k]] += 1
            size = ends[1] - ends[0]
            for i in range(start, min(start + MAX_CANDIDATES, self.theirs.size)):
                common = self._common(self.theirs.data[i])
                if common > most and 2 * common >= max(size, self._size(self.theirs.data[i])):
                    best, most = i, common
            for k in range(ends[0], ends[1]):
                self.balance.data[self.new.ids.data[k]] = 0
            if best >= 0:
                self._pair(best, j, compared, first, first_removed, found)
                start = best + 1
        return 0

    cdef Py_ssize_t _size(self, int32_t theirs) noexcept:
        return self.old.starts.data[theirs + 1] - self.old.starts.data[theirs]

    cdef int32_t _common(self, int32_t theirs) noexcept:
        """Number of the tokens that a removed line shares with the balance."""
        cdef Py_ssize_t k, start = self.old.starts.data[theirs], stop = self.old.starts.data[theirs + 1]
        cdef int32_t found = 0
        cdef int32_t *left
        for k in range(start, stop):
            left = self.balance.data + self.old.ids.data[k]
            found += left[0] > 0
            left[0] -= 1
        for k in range(start, stop):
            self.balance.data[self.old.ids.data[k]] += 1
        return found

    cdef bint _compare(self, int32_t theirs, int32_t mine) except -1:
        """Set `keys` to the sorted hashes of the edits; whether there are any, and enough tokens stay."""
        cdef int32_t *old = self.old.ids.data + self.old.starts.data[theirs]
        cdef int32_t *new = self.new.ids.data + self.new.starts.data[mine]
        cdef Py_ssize_t left = self._size(theirs), right = self.new.starts.data[mine + 1] - self.new.starts.data[mine]
        cdef Py_ssize_t size = right, kept = 0, total, gone, gone_at, come_at
        self.keys.size = 0
        while left or right:
            if left and right and old[0] == new[0]:
                old, new = old + 1, new + 1
                left, right, kept = left - 1, right - 1, kept + 1
                continue
            gone_at, come_at = left, right
            for total in range(1, MAX_SKIPPED + 1):
                for gone in range(max(0, total - right + 1), min(total, left - 1) + 1):
                    if old[gone] == new[total - gone] and self._go_on(
                        old + gone, left - gone - 1, new + total - gone, right - total + gone - 1
                    ):
                        gone_at, come_at = gone, total - gone
                        break
                else:
                    continue
                break
            self._add_key(old, gone_at, new, come_at)
            old, new = old + gone_at, new + come_at
            left, right = left - gone_at, right - come_at
        if kept * KEPT_SHARE < size:
            return False
        self.keys.sort()
        return self.keys.size > 0

    cdef bint _go_on(self, int32_t *old, Py_ssize_t left, int32_t *new, Py_ssize_t right) noexcept:
        """Whether both lines go on alike from an equal token, behind which so many are left on each side."""
        if CLASS[self.tokens.data[old[0]].s[0]] & WORD:
            return True
        return old[1] == new[1] if left and right else not left and not right

    cdef int _add_key(self, int32_t *old, Py_ssize_t gone, int32_t *new, Py_ssize_t come) except -1:
        self.scratch.size = 0
        self._write(old, gone)
        self.scratch.add(0)
        self._write(new, come)
        return self.keys.add(XXH3_64bits(self.scratch.data, self.scratch.size))

    cdef int _write(self, int32_t *ids, Py_ssize_t count) except -1:
        cdef Py_ssize_t k
        cdef Span token
        for k in range(count):
            if k:
                self.scratch.add(c" ")
            token = self.tokens.data[ids[k]]
            self.scratch.extend(token.s, token.n)
        return 0
