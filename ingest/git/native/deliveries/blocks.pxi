# The index of the blocks of code lines in the tree, and the search for copied lines.
# Oracles: `classify.block_index` and `classify.copied`.

cdef enum:
    MAX_WINDOW = 16

# The windows of documents have keys of their own: `block_index.PROSE`.
cdef uint64_t PROSE = 0xC2B2AE3D27D4EB4F


cdef class LineColumns:
    """The columns of the line table that blocks are made of."""

    cdef View kind, head, size, line, shape
    cdef Py_ssize_t count

    cdef int32_t rows(self) noexcept:
        return <int32_t>self.count


cdef LineColumns line_columns(kind, head, size, line, shape):
    cdef LineColumns found = LineColumns.__new__(LineColumns)
    found.kind = view(kind, 1)
    found.count = found.kind.count
    found.head = view(head, 1, found.count)
    found.size = view(size, 1, found.count)
    found.line = view(line, sizeof(uint64_t), found.count)
    found.shape = view(shape, sizeof(uint64_t), found.count)
    return found


cdef LineColumns stored_columns(dict columns):
    """Those of all lines, by the columns of a `LineTable`."""
    return line_columns(columns["kind"], columns["head"], columns["size"], columns["line"], columns["shape"])


cdef class BlockIndex:
    """The count of each window of code lines in the tree, and the place where it was last written."""

    cdef Table table
    cdef int size, least_tokens
    cdef bint of_heads

    def __cinit__(self, int size, int least_tokens, bint of_heads):
        if not 1 <= size <= MAX_WINDOW:
            raise ValueError(f"a window has 1 to {MAX_WINDOW} lines")
        self.table = Table.__new__(Table)
        self.size, self.least_tokens, self.of_heads = size, least_tokens, of_heads

    def columns(self):
        """Hashes, counts and places, in no order."""
        cdef Table table = self.table
        cdef bytes hashes = PyBytes_FromStringAndSize(NULL, <Py_ssize_t>table.used * 8)
        cdef bytes counts = ids_of(table.used), places = ids_of(table.used)
        cdef uint64_t *key = <uint64_t *>PyBytes_AsString(hashes)
        cdef int32_t *count = <int32_t *>PyBytes_AsString(counts)
        cdef int32_t *place = <int32_t *>PyBytes_AsString(places)
        cdef uint32_t i, found = 0
        for i in range(table.room):
            if table.slots[i].count:
                key[found] = table.slots[i].key
                count[found], place[found] = table.slots[i].count, table.slots[i].value
                found += 1
        return hashes, counts, places

    def restore(self, hashes, counts, places):
        """Take the content of a checkpoint. Raises ValueError for a count below 1 or a hash that comes twice."""
        cdef View keys = view(hashes, sizeof(uint64_t))
        cdef View found = view(counts, sizeof(int32_t), keys.count), known = view(places, sizeof(int32_t), keys.count)
        cdef Table table = Table.__new__(Table)
        cdef Slot *slot
        cdef Py_ssize_t i
        for i in range(keys.count):
            slot = table.put(keys.hashes()[i])
            if slot.count or found.ints()[i] < 1:
                if not slot.count:
                    slot.count = 1
                raise ValueError("the index of blocks is damaged")
            slot.count, slot.value = found.ints()[i], known.ints()[i]
        self.table = table

    cdef int takes_part(self, LineColumns lines, int32_t row) except -1:
        if not 0 <= row < lines.rows():
            raise ValueError(f"line {row} lies outside the table of {lines.count}")
        return lines.kind.bytes()[row] == CODE and (not self.of_heads or lines.head.bytes()[row])

    cdef bint hash_window(self, LineColumns lines, int32_t *rows, uint64_t *found) noexcept:
        """The hash of a window of lines; whether it has enough tokens."""
        cdef uint64_t *values = (lines.shape if self.of_heads else lines.line).hashes()
        cdef uint64_t hashed = values[rows[0]]
        cdef int tokens, i
        for i in range(1, self.size):
            hashed = hashed * FACTOR + values[rows[i]]
        found[0] = hashed
        if not self.least_tokens:
            return True
        tokens = 0
        for i in range(self.size):
            tokens += lines.size.bytes()[rows[i]]
        return tokens >= self.least_tokens

    cdef int write(self, uint64_t hashed, int32_t place) except -1:
        cdef Slot *slot = self.table.put(hashed)
        if slot.count == 0x7FFFFFFF:
            raise OverflowError("a block is in the tree too often")
        slot.count += 1
        slot.value = place
        return 0

    cdef void erase(self, uint64_t hashed, int32_t place) noexcept:
        cdef Slot *slot = self.table.find(hashed)
        if slot == NULL:
            return
        if slot.value == place:
            slot.value = NO_PLACE
        slot.count -= 1
        if not slot.count:
            self.table.drop(slot)

    cdef int follow(
        self, LineColumns lines, View version, int32_t *hunks, Py_ssize_t count, bint is_new, int32_t place,
        uint64_t prose, Ints near, Ints rows,
    ) except -1:
        """Write or erase the windows of a file version that touch or straddle its hunks.

        `near` and `rows` are emptied: the lines around the hunks that take part, by line number and by row.
        """
        cdef int32_t *ids = version.ints()
        cdef int64_t k, low, high, scanned = 0, first, start, stop, done = 0, missing, end = version.count
        cdef uint64_t hashed
        near.size = rows.size = 0
        for k in range(count):
            low = before(hunks[4 * k + 2 * is_new], hunks[4 * k + 2 * is_new + 1])
            high = low + hunks[4 * k + 2 * is_new + 1]
            if low < 0 or high > end:
                raise ValueError("the hunks do not fit the file")
            first, missing = low, self.size - 1
            while first > scanned and missing:
                first -= 1
                missing -= self.takes_part(lines, ids[first])
            if first > scanned:  # far from the hunk before
                near.size = rows.size = 0
                done, scanned = 0, first
            missing = self.size - 1 - (near.size - near.find(<int32_t>high))
            while scanned < high or (missing > 0 and scanned < end):
                if self.takes_part(lines, ids[scanned]):
                    near.add(<int32_t>scanned)
                    rows.add(ids[scanned])
                    missing -= scanned >= high
                scanned += 1
            start = max(done, near.find(<int32_t>low) - self.size + 1)
            stop = min(near.find(<int32_t>high), near.size - self.size + 1)
            for first in range(start, stop):
                if self.hash_window(lines, rows.data + first, &hashed):
                    if is_new:
                        self.write(hashed ^ prose, place)
                    else:
                        self.erase(hashed ^ prose, place)
            done = max(done, stop)
        return 0

    def update(self, dict columns, changed, hunks, hunk_starts, places, were_prose, are_prose):
        """Erase the windows that a delivery broke, then write those that it made.

        A file that became a document, or is none any more, has one hunk of all its lines.
        """
        cdef LineColumns lines = stored_columns(columns)
        cdef list old = [one.old_ids for one in changed.files], new = [one.new_ids for one in changed.files]
        cdef View numbers = view(hunks, 4 * sizeof(int32_t)), starts = view(hunk_starts, sizeof(int32_t))
        cdef View known = view(places, sizeof(int32_t), len(old))
        cdef View before = view(were_prose, 1, len(old)), after = view(are_prose, 1, len(old)), prose
        cdef Ints near = Ints.__new__(Ints), rows = Ints.__new__(Ints)
        cdef Py_ssize_t file, first
        check_starts(starts, numbers.count)
        if starts.count != len(old) + 1:
            raise ValueError("the numbers of files differ")
        for is_new, versions in enumerate((old, new)):
            prose = after if is_new else before
            for file in range(known.count):
                version = view(versions[file], sizeof(int32_t))
                first = starts.ints()[file]
                if (<View>version).count:
                    self.follow(
                        lines, version, numbers.ints() + 4 * first, starts.ints()[file + 1] - first, is_new,
                        known.ints()[file], PROSE if prose.bytes()[file] else 0, near, rows,
                    )

    cdef int mark(
        self, LineColumns lines, Ints rows, Table earlier, int32_t here, uint64_t prose, uint64_t also, Ints marks,
        Ints origins,
    ) except -1:
        """Mark the lines of a run that a standing window covers, each with the place of the first such window.

        Windows that the table `earlier` has are standing too; it takes those of this run, with the place `here`. The
        windows have `prose` in their keys, and those with `also` there are standing for them.
        """
        cdef uint64_t hashed, key
        cdef int32_t place
        cdef Py_ssize_t window, i
        cdef bint is_found
        cdef Slot *slot
        marks.reserve(rows.size)
        origins.reserve(rows.size)
        for i in range(rows.size):
            marks.data[i], origins.data[i] = 0, NO_PLACE
        for window in range(rows.size - self.size + 1):
            if not self.hash_window(lines, rows.data + window, &hashed):
                continue
            key = hashed ^ prose
            slot = self.table.find(key)
            if slot == NULL and also != prose:
                slot = self.table.find(hashed ^ also)
            is_found = slot != NULL
            place = slot.value if is_found else NO_PLACE
            if earlier is not None:
                if also != prose:
                    slot = earlier.find(hashed ^ also)
                    if slot != NULL:
                        is_found = True
                        if place == NO_PLACE:
                            place = slot.value
                slot = earlier.put(key)
                if slot.count:
                    is_found = True
                    if place == NO_PLACE:
                        place = slot.value
                else:
                    slot.count, slot.value = 1, here
            if is_found:
                for i in range(window, window + self.size):
                    marks.data[i] = 1
                    if origins.data[i] == NO_PLACE:
                        origins.data[i] = place
        return 0

    def find_copied(self, changed, hunks, hunk_starts, places, are_prose):
        """Classify open lines as copied where their block stands in the tree or earlier in the delivery.

        `places` are those of the files. `copied_from` takes places. For a file that is no document, blocks of documents
        do not count.
        """
        cdef LineColumns lines = line_columns(
            changed.kinds, changed.heads, changed.sizes, changed.line_hashes, changed.line_shapes
        )
        cdef View numbers = view(hunks, 4 * sizeof(int32_t)), starts = view(hunk_starts, sizeof(int32_t))
        cdef View firsts = view(changed.added_starts, sizeof(int32_t), starts.count)
        cdef View known = view(places, sizeof(int32_t), starts.count - 1)
        cdef View prose = view(are_prose, 1, starts.count - 1)
        cdef View given = view(changed.classes, 1, lines.count, True)
        cdef View origin = view(changed.copied_from, sizeof(int32_t), lines.count, True)
        cdef Ints rows = Ints.__new__(Ints), marks = Ints.__new__(Ints)
        cdef Ints origins = Ints.__new__(Ints)
        cdef Table earlier = Table.__new__(Table)
        cdef Py_ssize_t file, hunk, i
        cdef int64_t at, stop
        check_starts(starts, numbers.count)
        check_starts(firsts, lines.count)
        for file in range(known.count):
            at = firsts.ints()[file]
            for hunk in range(starts.ints()[file], starts.ints()[file + 1]):
                stop = at + numbers.ints()[4 * hunk + 3]
                if stop < at or stop > firsts.ints()[file + 1]:
                    raise ValueError("the hunks do not fit the added lines")
                self._gather(lines, NULL, at, stop, rows)
                at = stop
                if rows.size < self.size:
                    continue
                self.mark(
                    lines, rows, earlier, known.ints()[file], PROSE if prose.bytes()[file] else 0, 0, marks, origins
                )
                for i in range(rows.size):
                    if marks.data[i] and given.bytes()[rows.data[i]] == OPEN:
                        given.bytes()[rows.data[i]] = COPIED
                        origin.ints()[rows.data[i]] = origins.data[i]

    def mark_alive(self, dict columns, changed, hunks, hunk_starts):
        """Mark removed lines that are not fresh as alive where their block stands in the tree."""
        cdef LineColumns lines = stored_columns(columns)
        cdef View removed = view(changed.removed_ids, sizeof(int32_t))
        cdef View numbers = view(hunks, 4 * sizeof(int32_t)), starts = view(hunk_starts, sizeof(int32_t))
        cdef View firsts = view(changed.removed_starts, sizeof(int32_t), starts.count)
        cdef View young = view(changed.removed_fresh, 1, removed.count)
        cdef View marked = view(changed.removed_alive, 1, removed.count, True)
        cdef Ints rows = Ints.__new__(Ints), marks = Ints.__new__(Ints)
        cdef Ints origins = Ints.__new__(Ints), members = Ints.__new__(Ints)
        cdef Py_ssize_t file, hunk, i
        cdef int64_t at, stop
        check_starts(starts, numbers.count)
        check_starts(firsts, removed.count)
        for file in range(starts.count - 1):
            at = firsts.ints()[file]
            for hunk in range(starts.ints()[file], starts.ints()[file + 1]):
                stop = at + numbers.ints()[4 * hunk + 1]
                if stop < at or stop > firsts.ints()[file + 1]:
                    raise ValueError("the hunks do not fit the removed lines")
                self._gather(lines, removed.ints(), at, stop, members)
                at = stop
                if members.size < self.size:
                    continue
                rows.reserve(members.size)
                rows.size = members.size
                for i in range(members.size):
                    rows.data[i] = removed.ints()[members.data[i]]
                self.mark(lines, rows, None, NO_PLACE, 0, PROSE, marks, origins)
                for i in range(rows.size):
                    if marks.data[i] and not young.bytes()[members.data[i]]:
                        marked.bytes()[members.data[i]] = 1

    cdef int _gather(self, LineColumns lines, int32_t *ids, int64_t at, int64_t stop, Ints members) except -1:
        """The numbers of the lines from `at` to `stop` that take part; without `ids` a line is its own row."""
        members.size = 0
        if stop - at < self.size:
            return 0
        while at < stop:
            if self.takes_part(lines, ids[at] if ids != NULL else <int32_t>at):
                members.add(<int32_t>at)
            at += 1
        return 0
