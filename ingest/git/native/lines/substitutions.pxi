# Added lines that equal a removed line but for replaced words. Oracle: `changes.substitutions`.


@cython.final
cdef class Substitutions:
    """Added lines that equal a removed line but for replaced words."""
    cdef Table by_key       # the first and last removed line of each structure, by its position below
    cdef Ints next_row, first_row, last_row
    cdef Hashes keys, best
    cdef int32_t claimed    # the removed line of `best`
    cdef Bytes replaced, replacing      # whether a removed or an added line of the block takes part
    cdef Bytes scratch

    def __cinit__(self):
        self.by_key, self.next_row, self.first_row, self.last_row = Table(), Ints(), Ints(), Ints()
        self.keys, self.best, self.scratch = Hashes(), Hashes(), Bytes()
        self.replaced, self.replacing = Bytes(), Bytes()

    cdef uint64_t _key(self, Span line) except? 0:
        """Hash of what stands between the words of a stripped line."""
        cdef Py_ssize_t at
        self.scratch.size = 0
        for at in range(line.n):
            if not CLASS[line.s[at]] & WORD:
                self.scratch.add(line.s[at])
        return XXH3_64bits_withSeed(self.scratch.data, self.scratch.size, SEED)

    cdef int find(
        self, Side removed, Side added, const uint8_t *removed_layout, const uint8_t *is_layout, Py_ssize_t first,
        Py_ssize_t first_removed, dict found,
    ) except -1:
        """Fill `found`: row of an added line → row of a removed line, and hashes of the replacements.

        Rows count from `first` and `first_removed`.
        """
        cdef Py_ssize_t i
        cdef Slot *slot
        cdef Span line
        self.by_key.clear(removed.changed.size)
        self.next_row.size = self.first_row.size = self.last_row.size = 0
        self.next_row.fill(-1, removed.changed.size)
        self.replaced.size = self.replacing.size = 0
        self.replaced.fill(0, removed.changed.size)
        self.replacing.fill(0, added.changed.size)
        for i in range(removed.changed.size):
            line = stripped(removed.lines.data[removed.changed.data[i]])
            if not line.n or removed_layout[i]:
                continue
            slot = self.by_key.put(self._key(line))
            if not slot.count:
                slot.count, slot.value = 1, <int32_t>self.first_row.size
                self.first_row.add(<int32_t>i)
                self.last_row.add(<int32_t>i)
            else:
                self.next_row.data[self.last_row.data[slot.value]] = <int32_t>i
                self.last_row.data[slot.value] = <int32_t>i
        if not self.first_row.size:
            return 0
        for i in range(added.changed.size):
            if is_layout[i]:
                continue
            line = stripped(added.lines.data[added.changed.data[i]])
            slot = self.by_key.find(self._key(line))
            if slot != NULL and self._claim(removed, line, slot.value):
                found[first + i] = (first_removed + self.claimed, *[self.best.data[k] for k in range(self.best.size)])
                self.replaced.data[self.claimed] = self.replacing.data[i] = 1
        return 0

    cdef bint _claim(self, Side removed, Span line, int32_t group) except -1:
        """Set `best` to the fewest replacements that turn a candidate into `line`, and remove the candidate."""
        cdef int32_t row = self.first_row.data[group], before = -1, best_row = -1, best_before = -1
        cdef int tried = 0
        self.best.size = 0
        while row >= 0 and tried < MAX_CANDIDATES:
            self._compare(stripped(removed.lines.data[removed.changed.data[row]]), line)
            if self.keys.size and not (self.best.size and self.best.size <= self.keys.size):
                self.keys, self.best = self.best, self.keys
                best_row, best_before = row, before
                if self.best.size == 1:
                    break
            before, row = row, self.next_row.data[row]
            tried += 1
        if best_row < 0:
            return False
        self.claimed = best_row
        if best_before < 0:
            self.first_row.data[group] = self.next_row.data[best_row]
        else:
            self.next_row.data[best_before] = self.next_row.data[best_row]
        return True

    cdef int _compare(self, Span old, Span new) except -1:
        """Set `keys` to the sorted hashes of the replaced words; none where more than words differ."""
        cdef Py_ssize_t a = 0, b = 0, a_end, b_end
        self.keys.size = 0
        if same(old, new):
            return 0
        while a < old.n and b < new.n:
            if CLASS[old.s[a]] & WORD and CLASS[new.s[b]] & WORD:
                a_end, b_end = word_end(old, a), word_end(new, b)
                if not same(span(old.s + a, a_end - a), span(new.s + b, b_end - b)):
                    self.scratch.size = 0
                    self.scratch.extend(old.s + a, a_end - a)
                    self.scratch.add(0)
                    self.scratch.extend(new.s + b, b_end - b)
                    self.keys.add(XXH3_64bits(self.scratch.data, self.scratch.size))
                a, b = a_end, b_end
            elif old.s[a] == new.s[b]:
                a += 1
                b += 1
            else:
                self.keys.size = 0
                return 0
        if a < old.n or b < new.n:
            self.keys.size = 0
        self.keys.sort()
        return 0
