# The classifier's memory of removed lines. Oracle: `classify.classifier`.


cdef struct Removal:
    int64_t time
    int32_t line, commit, place
    int32_t older  # the next older removal with the same hash


cdef class Removals:
    """Unclaimed removals by line hash. Times never fall."""

    cdef Table table
    cdef Removal *pool
    cdef int32_t room, used, unused  # `unused` is the first of a chain of free entries

    def __cinit__(self):
        self.table = Table.__new__(Table)
        self.unused = NONE

    def __dealloc__(self):
        free(self.pool)

    def __len__(self):
        return self.table.used

    cdef int add(self, uint64_t hashed, int64_t time, int32_t line, int32_t commit, int32_t place) except -1:
        cdef int64_t room
        cdef Removal *grown
        cdef int32_t at = self.unused
        cdef Slot *slot
        if at == NONE and self.used == self.room:
            room = max(<int64_t>64, <int64_t>self.room + self.room // 2)
            if room > 0x7FFFFFFF:
                raise MemoryError("there are too many removed lines")
            grown = <Removal *>realloc(self.pool, <size_t>room * sizeof(Removal))
            if grown == NULL:
                raise MemoryError()
            self.pool, self.room = grown, <int32_t>room
        slot = self.table.put(hashed)
        if at == NONE:
            at = self.used
            self.used += 1
        else:
            self.unused = self.pool[at].older
        self.pool[at].time, self.pool[at].line, self.pool[at].commit = time, line, commit
        self.pool[at].place = place
        self.pool[at].older = slot.value if slot.count else NONE
        slot.count, slot.value = 1, at
        return 0

    cdef void release(self, int32_t at) noexcept:
        self.pool[at].older = self.unused
        self.unused = at

    def claim(self, changed, int64_t since):
        """Classify open lines that were removed at `since` or later; each claims the newest removal."""
        cdef View wanted = view(changed.line_hashes, sizeof(uint64_t))
        cdef View given = view(changed.classes, 1, wanted.count, True)
        cdef View source = view(changed.sources, sizeof(int32_t), wanted.count, True)
        cdef View remover = view(changed.removals, sizeof(int32_t), wanted.count, True)
        cdef Slot *slot
        cdef Py_ssize_t i
        cdef int32_t at
        if not self.table.used:
            return
        for i in range(wanted.count):
            if given.bytes()[i] != OPEN:
                continue
            slot = self.table.find(wanted.hashes()[i])
            if slot == NULL:
                continue
            at = slot.value
            if self.pool[at].time >= since:
                given.bytes()[i] = RETURNED
                source.ints()[i], remover.ints()[i] = self.pool[at].line, self.pool[at].commit
                slot.value = self.pool[at].older
                self.release(at)
                if slot.value == NONE:
                    self.table.drop(slot)

    def claim_blocks(self, changed, int64_t since, int32_t least, int32_t most):
        """Classify runs of at least `least` open lines of a file that stood together and left at `since` or later.

        From the last line up. Of equal removals, at most `most` are looked at.
        """
        cdef View wanted = view(changed.line_hashes, sizeof(uint64_t))
        cdef View kind = view(changed.kinds, 1, wanted.count)
        cdef View given = view(changed.classes, 1, wanted.count, True)
        cdef View source = view(changed.sources, sizeof(int32_t), wanted.count, True)
        cdef View remover = view(changed.removals, sizeof(int32_t), wanted.count, True)
        cdef View start = view(changed.added_starts, sizeof(int32_t))
        cdef Ints places = Ints(), entries = Ints()
        cdef Slot *slot
        cdef Py_ssize_t file, i
        cdef int32_t explained, found
        check_rows(start, wanted.count + 1)
        for file in range(start.count - 1):
            if not self.table.used:
                return
            explained = 0
            for i in range(start.ints()[file + 1] - 1, start.ints()[file] - 1, -1):
                if given.bytes()[i] != OPEN:
                    explained += kind.bytes()[i] != BLANK
                    continue
                slot, found = self.table.find(wanted.hashes()[i]), NONE
                if places.size and slot != NULL:
                    found = self.above(slot.value, entries.data[entries.size - 1], explained, most)
                if found == NONE:
                    self.settle(places, entries, wanted, given, source, remover, least)
                    slot = self.table.find(wanted.hashes()[i])
                    if slot != NULL and self.pool[slot.value].time >= since:
                        found = slot.value
                if found != NONE:
                    places.add(<int32_t>i)
                    entries.add(found)
                explained = 0
            self.settle(places, entries, wanted, given, source, remover, least)

    cdef int32_t above(self, int32_t at, int32_t below, int32_t explained, int32_t most) noexcept:
        """The removal of the line that stood above another one, with at most so many lines between them."""
        cdef int32_t place = self.pool[below].place
        while at != NONE and most > 0:
            if self.pool[at].time == self.pool[below].time and (
                place - 1 - explained <= self.pool[at].place < place
            ):
                return at
            at = self.pool[at].older
            most -= 1
        return NONE

    cdef int settle(
        self, Ints places, Ints entries, View wanted, View given, View source, View remover, int32_t least
    ) except -1:
        """Let the lines of a run claim their removals, unless it is short."""
        cdef Py_ssize_t number
        cdef int32_t at, place, newer
        cdef Slot *slot
        if places.size >= least:
            for number in range(places.size):
                at, place = entries.data[number], places.data[number]
                given.bytes()[place] = RETURNED
                source.ints()[place], remover.ints()[place] = self.pool[at].line, self.pool[at].commit
                slot = self.table.find(wanted.hashes()[place])
                newer = slot.value
                if newer == at:
                    slot.value = self.pool[at].older
                    if slot.value == NONE:
                        self.table.drop(slot)
                else:
                    while self.pool[newer].older != at:
                        newer = self.pool[newer].older
                    self.pool[newer].older = self.pool[at].older
                self.release(at)
        places.size = entries.size = 0
        return 0

    def remember(self, dict columns, changed, int64_t time, places):
        """Add the removed lines that are not blank and not alive elsewhere."""
        cdef View kind = view(columns["kind"], 1), line = view(columns["line"], sizeof(uint64_t), kind.count)
        cdef View removed = view(changed.removed_ids, sizeof(int32_t))
        cdef View marked = view(changed.removed_alive, 1, removed.count)
        cdef View commit = view(changed.removers, sizeof(int32_t), removed.count)
        cdef View place = view(places, sizeof(int32_t), removed.count)
        cdef Py_ssize_t i
        cdef int32_t row
        check_rows(removed, kind.count)
        for i in range(removed.count):
            row = removed.ints()[i]
            if kind.bytes()[row] != BLANK and not marked.bytes()[i]:
                self.add(line.hashes()[row], time, row, commit.ints()[i], place.ints()[i])

    def forget(self, int64_t before):
        """Drop removals older than `before`."""
        cdef Table kept = Table.__new__(Table)
        cdef Slot *slot
        cdef uint32_t i
        cdef int32_t at, older
        for i in range(self.table.room):
            if not self.table.slots[i].count:
                continue
            at = self.table.slots[i].value
            if self.pool[at].time < before:
                continue
            slot = kept.put(self.table.slots[i].key)
            slot.count, slot.value = 1, at
        for i in range(self.table.room):
            if not self.table.slots[i].count:
                continue
            at = self.table.slots[i].value
            if self.pool[at].time >= before:
                while self.pool[at].older != NONE and self.pool[self.pool[at].older].time >= before:
                    at = self.pool[at].older
                older = self.pool[at].older
                self.pool[at].older = NONE
                at = older
            while at != NONE:
                older = self.pool[at].older
                self.release(at)
                at = older
        self.table = kept

    def columns(self):
        """Hashes, times, lines, commits and places, the newest of a hash first."""
        cdef Hashes hashes = Hashes(), times = Hashes()
        cdef Ints lines = Ints(), commits = Ints(), places = Ints()
        cdef uint32_t i
        cdef int32_t at
        for i in range(self.table.room):
            at = self.table.slots[i].value if self.table.slots[i].count else NONE
            while at != NONE:
                hashes.add(self.table.slots[i].key)
                times.add(<uint64_t>self.pool[at].time)
                lines.add(self.pool[at].line)
                commits.add(self.pool[at].commit)
                places.add(self.pool[at].place)
                at = self.pool[at].older
        return hashes.result(), times.result(), lines.result(), commits.result(), places.result()

    def restore(self, hashes, times, lines, commits, places):
        """Add removals, the oldest of a hash first."""
        cdef View key = view(hashes, sizeof(uint64_t)), time = view(times, sizeof(int64_t), key.count)
        cdef View line = view(lines, sizeof(int32_t), key.count), commit = view(commits, sizeof(int32_t), key.count)
        cdef View place = view(places, sizeof(int32_t), key.count)
        cdef Py_ssize_t i
        for i in range(key.count):
            self.add(
                key.hashes()[i], (<int64_t *>time.held.buf)[i], line.ints()[i], commit.ints()[i], place.ints()[i]
            )
