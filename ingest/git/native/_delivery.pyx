# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, binding=False
"""The compiled twin of line ownership and of the classification of deliveries.

Columns are buffers: 32-bit numbers, 64-bit hashes or bytes, as `classify.changed_lines` has them. Their sizes and all
row numbers in them are checked. The oracles are the methods and functions of the same names in Python.
"""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize

include "tables.pxi"

cdef enum:
    BLANK = 0
    COMMENT_LINE = 1
    CODE = 2
    LAYOUT = 0
    MOVED = 1
    RETURNED = 2
    COPIED = 3
    COMMENT = 5
    NOVEL = 6
    UNREAD = 7
    OPEN = 255
    MAX_RANK = 10
    NONE = -1
    MAX_WINDOW = 16

cdef uint64_t FACTOR = 0x9E3779B97F4A7C15


# Versions of files ----------------------------------------------------------------------------------------------------


cdef bytes ids_of(Py_ssize_t count):
    """Room for line ids."""
    return PyBytes_FromStringAndSize(NULL, count * <Py_ssize_t>sizeof(int32_t))


cdef Numbers flat(object hunks):
    """The numbers of the hunks of a file. Raises ValueError for a negative one."""
    cdef Numbers found = Numbers.__new__(Numbers)
    cdef int64_t a, b, c, d
    for a, b, c, d in hunks:
        if not (0 <= a < 0x7FFFFFFF and 0 <= b < 0x7FFFFFFF and 0 <= c < 0x7FFFFFFF and 0 <= d < 0x7FFFFFFF):
            raise ValueError("a hunk has a number out of range")
        found.reserve(found.count + 4)
        found.at[found.count] = <int32_t>a
        found.at[found.count + 1] = <int32_t>b
        found.at[found.count + 2] = <int32_t>c
        found.at[found.count + 3] = <int32_t>d
        found.count += 4
    return found


cdef inline int64_t before(int32_t start, int32_t lines) noexcept:
    """Number of lines before one side of a hunk. A side without lines names the line before it."""
    return start - 1 if lines else start


def flatten(list hunks):
    """The hunks of several files as one column, and the position of each file's first hunk in it."""
    cdef Numbers one, starts = Numbers.__new__(Numbers)
    cdef Numbers every = Numbers.__new__(Numbers)
    starts.push(0)
    for of_file in hunks:
        one = flat(of_file)
        if one.count:
            every.reserve(every.count + one.count)
            memcpy(every.at + every.count, one.at, <size_t>one.count * sizeof(int32_t))
            every.count += one.count
        starts.push(<int32_t>(every.count // 4))
    return (
        PyBytes_FromStringAndSize(<char *>every.at, every.count * <Py_ssize_t>sizeof(int32_t)),
        PyBytes_FromStringAndSize(<char *>starts.at, starts.count * <Py_ssize_t>sizeof(int32_t)),
    )


def edit(old, hunks, int64_t first):
    """The removed lines of a file version, and the version after the hunks; added lines have ids from `first`.

    Hunks are cut at the end of the version. Raises ValueError where they are out of order.
    """
    cdef View ids = view(old, sizeof(int32_t))
    cdef Numbers numbers = flat(hunks)
    cdef int64_t gone = 0, come = 0, position = 0, start, stop, k, i
    for k in range(0, numbers.count, 4):
        start = before(numbers.at[k], numbers.at[k + 1])
        if start < position:
            raise ValueError("the hunks are out of order")
        position = start + numbers.at[k + 1]
        gone += min(position, ids.count) - min(start, ids.count)
        come += numbers.at[k + 3]
    if first < 0 or first + come > 0x7FFFFFFF or ids.count - gone + come > 0x7FFFFFFF:
        raise ValueError("there are more lines than line ids")
    cdef bytes removed = ids_of(gone), result = ids_of(ids.count - gone + come)
    cdef int32_t *away = <int32_t *>PyBytes_AsString(removed)
    cdef int32_t *target = <int32_t *>PyBytes_AsString(result)
    position = 0
    for k in range(0, numbers.count, 4):
        start = before(numbers.at[k], numbers.at[k + 1])
        stop, start = min(start + numbers.at[k + 1], ids.count), min(start, ids.count)
        if start > position:
            memcpy(target, ids.ints() + position, <size_t>(start - position) * sizeof(int32_t))
            target += start - position
        if stop > start:
            memcpy(away, ids.ints() + start, <size_t>(stop - start) * sizeof(int32_t))
            away += stop - start
        for i in range(numbers.at[k + 3]):
            target[i] = <int32_t>(first + i)
        target += numbers.at[k + 3]
        first += numbers.at[k + 3]
        position = stop
    if ids.count > position:
        memcpy(target, ids.ints() + position, <size_t>(ids.count - position) * sizeof(int32_t))
    return removed, result


def pick(old, hunks, bint added):
    """The ids of a file version that its hunks added or removed. Raises ValueError for hunks beyond it."""
    cdef View ids = view(old, sizeof(int32_t))
    cdef Numbers numbers = flat(hunks)
    cdef int64_t count = 0, start, lines, k, side = 2 if added else 0
    for k in range(0, numbers.count, 4):
        start, lines = before(numbers.at[k + side], numbers.at[k + side + 1]), numbers.at[k + side + 1]
        if start < 0 or start + lines > ids.count:
            raise ValueError("the hunks do not fit the file")
        count += lines
    if count > ids.count:
        raise ValueError("the hunks overlap")
    cdef bytes result = ids_of(count)
    cdef int32_t *target = <int32_t *>PyBytes_AsString(result)
    for k in range(0, numbers.count, 4):
        start, lines = before(numbers.at[k + side], numbers.at[k + side + 1]), numbers.at[k + side + 1]
        if lines:
            memcpy(target, ids.ints() + start, <size_t>lines * sizeof(int32_t))
            target += lines
    return result


# Blocks ---------------------------------------------------------------------------------------------------------------


cdef class LineColumns:
    """The columns of the line table that blocks are made of."""

    cdef View kind, head, size, line, shape
    cdef Py_ssize_t count

    cdef int32_t rows(self) noexcept:
        return <int32_t>self.count


cdef LineColumns line_columns(dict columns):
    cdef LineColumns found = LineColumns.__new__(LineColumns)
    found.kind = view(columns["kind"], 1)
    found.count = found.kind.count
    found.head = view(columns["head"], 1, found.count)
    found.size = view(columns["size"], 1, found.count)
    found.line = view(columns["line"], sizeof(uint64_t), found.count)
    found.shape = view(columns["shape"], sizeof(uint64_t), found.count)
    return found


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

    def find(self, hashes):
        """Per hash whether it is in the tree, and its place, -1 where none is known."""
        cdef View wanted = view(hashes, sizeof(uint64_t))
        cdef Slot *slot
        cdef Py_ssize_t i
        result = []
        for i in range(wanted.count):
            slot = self.table.find(wanted.hashes()[i])
            result.append((slot != NULL, slot.value if slot != NULL else NONE))
        return result

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
            slot.value = NONE
        slot.count -= 1
        if not slot.count:
            self.table.drop(slot)

    cdef int follow(
        self, LineColumns lines, View version, int32_t *hunks, Py_ssize_t count, bint is_new, int32_t place,
        Numbers near, Numbers rows,
    ) except -1:
        """Write or erase the windows of a file version that touch or straddle its hunks.

        `near` and `rows` are emptied: the lines around the hunks that take part, by line number and by row.
        """
        cdef int32_t *ids = version.ints()
        cdef int64_t k, low, high, scanned = 0, first, start, stop, done = 0, missing, end = version.count
        cdef uint64_t hashed
        near.count = rows.count = 0
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
                near.count = rows.count = 0
                done, scanned = 0, first
            missing = self.size - 1 - (near.count - near.find(<int32_t>high))
            while scanned < high or (missing > 0 and scanned < end):
                if self.takes_part(lines, ids[scanned]):
                    near.push(<int32_t>scanned)
                    rows.push(ids[scanned])
                    missing -= scanned >= high
                scanned += 1
            start = max(done, near.find(<int32_t>low) - self.size + 1)
            stop = min(near.find(<int32_t>high), near.count - self.size + 1)
            for first in range(start, stop):
                if self.hash_window(lines, rows.at + first, &hashed):
                    if is_new:
                        self.write(hashed, place)
                    else:
                        self.erase(hashed, place)
            done = max(done, stop)
        return 0

    def update(self, dict columns, list old, list new, hunks, hunk_starts, places):
        """Erase the windows that a delivery broke, then write those that it made.

        `old` and `new` hold the line ids of each file before and after.
        """
        cdef LineColumns lines = line_columns(columns)
        cdef View numbers = view(hunks, 4 * sizeof(int32_t)), starts = view(hunk_starts, sizeof(int32_t))
        cdef View known = view(places, sizeof(int32_t), len(old))
        cdef Numbers near = Numbers.__new__(Numbers), rows = Numbers.__new__(Numbers)
        cdef Py_ssize_t file, first
        check_starts(starts, numbers.count)
        if len(new) != len(old) or starts.count != len(old) + 1:
            raise ValueError("the numbers of files differ")
        for is_new, versions in enumerate((old, new)):
            for file in range(known.count):
                version = view(versions[file], sizeof(int32_t))
                first = starts.ints()[file]
                if (<View>version).count:
                    self.follow(
                        lines, version, numbers.ints() + 4 * first, starts.ints()[file + 1] - first, is_new,
                        known.ints()[file], near, rows,
                    )

    cdef int mark(
        self, LineColumns lines, Numbers rows, Table earlier, int32_t here, Numbers marks, Numbers origins
    ) except -1:
        """Mark the lines of a run that a standing window covers, each with the place of the first such window.

        Windows that the table `earlier` has are standing too; it takes those of this run, with the place `here`.
        """
        cdef uint64_t hashed
        cdef int32_t place
        cdef Py_ssize_t window, i
        cdef bint is_found
        cdef Slot *slot
        marks.reserve(rows.count)
        origins.reserve(rows.count)
        for i in range(rows.count):
            marks.at[i], origins.at[i] = 0, NONE
        for window in range(rows.count - self.size + 1):
            if not self.hash_window(lines, rows.at + window, &hashed):
                continue
            slot = self.table.find(hashed)
            is_found = slot != NULL
            place = slot.value if is_found else NONE
            if earlier is not None:
                slot = earlier.put(hashed)
                if slot.count:
                    is_found = True
                    if place == NONE:
                        place = slot.value
                else:
                    slot.count, slot.value = 1, here
            if is_found:
                for i in range(window, window + self.size):
                    marks.at[i] = 1
                    if origins.at[i] == NONE:
                        origins.at[i] = place
        return 0

    def find_copied(self, dict columns, hunks, hunk_starts, line_starts, places, classes, copied_from):
        """Classify open lines as copied where their block stands in the tree or earlier in the delivery.

        `columns` are those of the added lines, `places` those of the files. `copied_from` takes places.
        """
        cdef LineColumns lines = line_columns(columns)
        cdef View numbers = view(hunks, 4 * sizeof(int32_t)), starts = view(hunk_starts, sizeof(int32_t))
        cdef View firsts = view(line_starts, sizeof(int32_t), starts.count)
        cdef View known = view(places, sizeof(int32_t), starts.count - 1)
        cdef View given = view(classes, 1, lines.count, True)
        cdef View origin = view(copied_from, sizeof(int32_t), lines.count, True)
        cdef Numbers rows = Numbers.__new__(Numbers), marks = Numbers.__new__(Numbers)
        cdef Numbers origins = Numbers.__new__(Numbers)
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
                if rows.count < self.size:
                    continue
                self.mark(lines, rows, earlier, known.ints()[file], marks, origins)
                for i in range(rows.count):
                    if marks.at[i] and given.bytes()[rows.at[i]] == OPEN:
                        given.bytes()[rows.at[i]] = COPIED
                        origin.ints()[rows.at[i]] = origins.at[i]

    def mark_alive(self, dict columns, removed_ids, hunks, hunk_starts, line_starts, fresh, alive):
        """Mark removed lines that are not fresh as alive where their block stands in the tree."""
        cdef LineColumns lines = line_columns(columns)
        cdef View removed = view(removed_ids, sizeof(int32_t))
        cdef View numbers = view(hunks, 4 * sizeof(int32_t)), starts = view(hunk_starts, sizeof(int32_t))
        cdef View firsts = view(line_starts, sizeof(int32_t), starts.count)
        cdef View young = view(fresh, 1, removed.count), marked = view(alive, 1, removed.count, True)
        cdef Numbers rows = Numbers.__new__(Numbers), marks = Numbers.__new__(Numbers)
        cdef Numbers origins = Numbers.__new__(Numbers), members = Numbers.__new__(Numbers)
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
                if members.count < self.size:
                    continue
                rows.reserve(members.count)
                rows.count = members.count
                for i in range(members.count):
                    rows.at[i] = removed.ints()[members.at[i]]
                self.mark(lines, rows, None, NONE, marks, origins)
                for i in range(rows.count):
                    if marks.at[i] and not young.bytes()[members.at[i]]:
                        marked.bytes()[members.at[i]] = 1

    cdef int _gather(self, LineColumns lines, int32_t *ids, int64_t at, int64_t stop, Numbers members) except -1:
        """The numbers of the lines from `at` to `stop` that take part; without `ids` a line is its own row."""
        members.count = 0
        if stop - at < self.size:
            return 0
        while at < stop:
            if self.takes_part(lines, ids[at] if ids != NULL else <int32_t>at):
                members.push(<int32_t>at)
            at += 1
        return 0


# Rules of the classifier ----------------------------------------------------------------------------------------------


def keep_layout(is_layout, layout_from, added_starts, removed_starts, removed_ids, classes, sources):
    """Classify lines with a new layout; `layout_from` counts among the removed lines of the file."""
    cdef View given = view(classes, 1, -1, True)
    cdef View source = view(sources, sizeof(int32_t), given.count, True)
    cdef View marks = view(is_layout, 1, given.count), origins = view(layout_from, sizeof(int32_t), given.count)
    cdef View removed = view(removed_ids, sizeof(int32_t)), starts = view(added_starts, sizeof(int32_t))
    cdef View gone = view(removed_starts, sizeof(int32_t), starts.count)
    cdef Py_ssize_t file, i
    cdef int64_t origin
    check_starts(starts, given.count)
    check_starts(gone, removed.count)
    for file in range(starts.count - 1):
        for i in range(starts.ints()[file], starts.ints()[file + 1]):
            if not marks.bytes()[i]:
                continue
            given.bytes()[i] = LAYOUT
            if origins.ints()[i] != NONE:
                origin = <int64_t>origins.ints()[i] + gone.ints()[file]
                if not gone.ints()[file] <= origin < gone.ints()[file + 1]:
                    raise ValueError("a layout line continues a line outside its file")
                source.ints()[i] = removed.ints()[origin]


def claim_moved(dict columns, removed_ids, removed_layout, hashes, classes, sources, alive):
    """Classify open lines that equal a removed line which no layout line continues; each is claimed once, in order."""
    cdef View kind = view(columns["kind"], 1), line = view(columns["line"], sizeof(uint64_t), kind.count)
    cdef View removed = view(removed_ids, sizeof(int32_t)), layout = view(removed_layout, 1, removed.count)
    cdef View marked = view(alive, 1, removed.count, True)
    cdef View wanted = view(hashes, sizeof(uint64_t)), given = view(classes, 1, wanted.count, True)
    cdef View source = view(sources, sizeof(int32_t), wanted.count, True)
    cdef Numbers later = Numbers.__new__(Numbers)
    cdef Table waiting = Table.__new__(Table)
    cdef Slot *slot
    cdef int64_t i, first
    check_rows(removed, kind.count)
    later.reserve(removed.count)
    for i in range(removed.count - 1, -1, -1):
        if kind.bytes()[removed.ints()[i]] != BLANK and not layout.bytes()[i]:
            slot = waiting.put(line.hashes()[removed.ints()[i]])
            later.at[i] = slot.value if slot.count else NONE
            slot.count, slot.value = 1, <int32_t>i
    if not waiting.used:
        return
    for i in range(wanted.count):
        if given.bytes()[i] != OPEN:
            continue
        slot = waiting.find(wanted.hashes()[i])
        if slot != NULL and slot.value != NONE:
            first = slot.value
            slot.value = later.at[first]
            given.bytes()[i] = MOVED
            source.ints()[i] = removed.ints()[first]
            marked.bytes()[first] = 1


cdef struct Removal:
    int64_t time
    int32_t line, commit, older  # the next older removal with the same hash


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

    cdef int add(self, uint64_t hashed, int64_t time, int32_t line, int32_t commit) except -1:
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
        self.pool[at].older = slot.value if slot.count else NONE
        slot.count, slot.value = 1, at
        return 0

    cdef void release(self, int32_t at) noexcept:
        self.pool[at].older = self.unused
        self.unused = at

    def claim(self, hashes, int64_t since, classes, sources, removals):
        """Classify open lines that were removed at `since` or later; each claims the newest removal."""
        cdef View wanted = view(hashes, sizeof(uint64_t)), given = view(classes, 1, wanted.count, True)
        cdef View source = view(sources, sizeof(int32_t), wanted.count, True)
        cdef View remover = view(removals, sizeof(int32_t), wanted.count, True)
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

    def remember(self, dict columns, int64_t time, removed_ids, removers, alive):
        """Add the removed lines that are not blank and not alive elsewhere."""
        cdef View kind = view(columns["kind"], 1), line = view(columns["line"], sizeof(uint64_t), kind.count)
        cdef View removed = view(removed_ids, sizeof(int32_t)), marked = view(alive, 1, removed.count)
        cdef View commit = view(removers, sizeof(int32_t), removed.count)
        cdef Py_ssize_t i
        cdef int32_t row
        check_rows(removed, kind.count)
        for i in range(removed.count):
            row = removed.ints()[i]
            if kind.bytes()[row] != BLANK and not marked.bytes()[i]:
                self.add(line.hashes()[row], time, row, commit.ints()[i])

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
        """Hashes, times, lines and commits, the newest of a hash first."""
        cdef int64_t count = 0, at
        cdef uint32_t i
        for i in range(self.table.room):
            if self.table.slots[i].count:
                at = self.table.slots[i].value
                while at != NONE:
                    count += 1
                    at = self.pool[at].older
        cdef bytes hashes = PyBytes_FromStringAndSize(NULL, count * 8), times = PyBytes_FromStringAndSize(NULL, count * 8)
        cdef bytes lines = ids_of(count), commits = ids_of(count)
        cdef uint64_t *key = <uint64_t *>PyBytes_AsString(hashes)
        cdef int64_t *time = <int64_t *>PyBytes_AsString(times)
        cdef int32_t *line = <int32_t *>PyBytes_AsString(lines)
        cdef int32_t *commit = <int32_t *>PyBytes_AsString(commits)
        count = 0
        for i in range(self.table.room):
            if self.table.slots[i].count:
                at = self.table.slots[i].value
                while at != NONE:
                    key[count] = self.table.slots[i].key
                    time[count], line[count], commit[count] = self.pool[at].time, self.pool[at].line, self.pool[at].commit
                    count += 1
                    at = self.pool[at].older
        return hashes, times, lines, commits

    def restore(self, hashes, times, lines, commits):
        """Add removals, the oldest of a hash first."""
        cdef View key = view(hashes, sizeof(uint64_t)), time = view(times, sizeof(int64_t), key.count)
        cdef View line = view(lines, sizeof(int32_t), key.count), commit = view(commits, sizeof(int32_t), key.count)
        cdef Py_ssize_t i
        for i in range(key.count):
            self.add(key.hashes()[i], (<int64_t *>time.held.buf)[i], line.ints()[i], commit.ints()[i])


def rank(kinds, heads, shapes, classes, ranks):
    """Classify the rest as comment or novel, and rank novel lines among those of the same shape."""
    cdef View given = view(classes, 1, -1, True), ranked = view(ranks, 1, given.count, True)
    cdef View kind = view(kinds, 1, given.count), head = view(heads, 1, given.count)
    cdef View shape = view(shapes, sizeof(uint64_t), given.count)
    cdef Table seen = Table.__new__(Table)
    cdef Slot *slot
    cdef Py_ssize_t i
    for i in range(given.count):
        if given.bytes()[i] != OPEN:
            continue
        if kind.bytes()[i] == COMMENT_LINE:
            given.bytes()[i] = COMMENT
            continue
        given.bytes()[i] = NOVEL
        if head.bytes()[i]:
            slot = seen.put(shape.hashes()[i])
            slot.count = min(slot.count + 1, MAX_RANK)
            ranked.bytes()[i] = <uint8_t>slot.count


def mark_replaced(list blocks, added_starts, removed_starts, fresh, replaced):
    """Mark the removed lines that others replace. Returns the blocks in which some of them are fresh.

    A block has five numbers, as `FileLines.blocks` has them. The result names the file, the recount, the start and
    stop of the removed lines and the first added line.
    """
    cdef View young = view(fresh, 1), marked = view(replaced, 1, young.count, True), column
    cdef View added = view(added_starts, sizeof(int32_t), len(blocks) + 1)
    cdef View removed = view(removed_starts, sizeof(int32_t), len(blocks) + 1)
    cdef Py_ssize_t file, block
    cdef int64_t start, stop, i
    cdef int32_t *numbers
    cdef bint is_fresh
    check_starts(removed, young.count)
    found = []
    for file in range(len(blocks)):
        column = view(blocks[file], 5 * sizeof(int32_t))
        for block in range(column.count):
            numbers = column.ints() + 5 * block
            if numbers[4] == NONE:
                continue
            start, stop = <int64_t>removed.ints()[file] + numbers[0], <int64_t>removed.ints()[file] + numbers[1]
            if numbers[0] < 0 or stop < start or stop > removed.ints()[file + 1]:
                raise ValueError("a block does not fit the removed lines")
            is_fresh = False
            for i in range(start, stop):
                marked.bytes()[i] = 1
                is_fresh = is_fresh or young.bytes()[i]
            if is_fresh:
                found.append((file, numbers[4], start, stop, added.ints()[file] + numbers[2]))
    return found


def store_added(dict columns, added_ids, dict values, int32_t delivery, sources):
    """Write the facts of added lines to their rows. A line with a known source inherits its credit."""
    cdef View source = view(sources, sizeof(int32_t)), rows = view(added_ids, sizeof(int32_t), source.count)
    cdef View klass = view(columns["class"], 1)
    cdef View target, column
    cdef Py_ssize_t i
    cdef size_t size
    cdef int32_t row
    check_rows(rows, klass.count)
    for i in range(source.count):
        if i and rows.ints()[i] <= rows.ints()[i - 1]:
            raise ValueError("the rows of added lines do not rise")
        if source.ints()[i] != NONE and not 0 <= source.ints()[i] < rows.ints()[0]:
            raise ValueError("a line inherits from a later line")
    for name, size in (
        ("line", 8), ("shape", 8), ("size", 1), ("kind", 1), ("head", 1), ("class", 1), ("tokens", 1),
        ("own_tokens", 1), ("rank", 1), ("birth", 4),
    ):
        target = view(columns[name], size, klass.count, True)
        column = view(values[name], size, source.count)
        for i in range(source.count):
            memcpy(target.bytes() + <size_t>rows.ints()[i] * size, column.bytes() + <size_t>i * size, size)
    target = view(columns["delivery"], 4, klass.count, True)
    for i in range(source.count):
        target.ints()[rows.ints()[i]] = delivery
    for name, size in (("tokens", 1), ("own_tokens", 1), ("rank", 1), ("birth", 4), ("delivery", 4), ("class", 1)):
        target = view(columns[name], size, klass.count, True)
        for i in range(source.count):
            row = source.ints()[i]
            # An unread earlier line has no credit to carry on. Classes come last: they say whether it was read.
            if row != NONE and klass.bytes()[row] != UNREAD:
                memcpy(target.bytes() + <size_t>rows.ints()[i] * size, target.bytes() + <size_t>row * size, size)


# Histograms -----------------------------------------------------------------------------------------------------------


def tally(list names, list facts, list labels, line_starts):
    """Histograms of the lines of each file, one for each combination of names, in order of their first lines.

    `names` are columns of 32-bit numbers, `facts` columns of bytes. A histogram is a sorted list of the combinations
    of facts, each with its number of lines; where a column has labels, they stand for its values.
    """
    cdef View starts = view(line_starts, sizeof(int32_t))
    cdef Py_ssize_t count = starts.ints()[starts.count - 1] if starts.count else 0
    cdef Py_ssize_t wide = len(names), width = wide + len(facts), file, i, k, at
    cdef uint64_t hashed
    cdef Numbers values = Numbers.__new__(Numbers), lines = Numbers.__new__(Numbers), counts = Numbers.__new__(Numbers)
    cdef Table table
    cdef Slot *slot
    cdef View column
    cdef int32_t *line
    cdef list found, histogram
    check_starts(starts, count)
    if not width or len(labels) != len(facts) or count > 0x7FFFFFFF // width:
        raise ValueError("there are no facts, too many, or some without labels")
    values.reserve(count * width)
    for k in range(width):
        column = view(names[k], sizeof(int32_t), count) if k < wide else view(facts[k - wide], 1, count)
        for i in range(count):
            values.at[i * width + k] = column.ints()[i] if k < wide else column.bytes()[i]
    result = []
    for file in range(starts.count - 1):
        table = Table.__new__(Table)
        lines.count = counts.count = 0
        for i in range(starts.ints()[file], starts.ints()[file + 1]):
            hashed = 0
            for k in range(width):
                hashed = (hashed ^ <uint32_t>values.at[i * width + k]) * FACTOR
            while True:
                slot = table.put(hashed)
                if not slot.count:
                    slot.count, slot.value = 1, <int32_t>lines.count
                    lines.push(<int32_t>i)
                    counts.push(1)
                    break
                if is_same(values.at + lines.at[slot.value] * width, values.at + i * width, width):
                    counts.at[slot.value] += 1
                    break
                hashed += 1  # another line has this hash
        groups = {}
        for at in range(lines.count):
            line = values.at + lines.at[at] * width
            key = tuple([line[k] for k in range(wide)])
            found = groups.setdefault(key, [])
            found.append((*[line[k] for k in range(wide, width)], counts.at[at]))
        for found in groups.values():
            found.sort()
            for at in range(len(found)):
                histogram = list(found[at])
                for k in range(width - wide):
                    if labels[k] is not None:
                        histogram[k] = labels[k][histogram[k]]
                found[at] = tuple(histogram)
        result.append(list(groups.items()))
    return result


cdef bint is_same(int32_t *one, int32_t *two, Py_ssize_t count) noexcept:
    cdef Py_ssize_t k
    for k in range(count):
        if one[k] != two[k]:
            return False
    return True
