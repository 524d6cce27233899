# The rules of the classifier about single lines. Oracle: `classify.classifier`.
#
# `changed` is a `ChangedLines` of Python, `columns` are those of a `LineTable`.


def keep_layout(changed):
    """Classify lines with a new layout; `layout_from` counts among the removed lines of the file."""
    cdef View given = view(changed.classes, 1, -1, True)
    cdef View source = view(changed.sources, sizeof(int32_t), given.count, True)
    cdef View marks = view(changed.is_layout, 1, given.count)
    cdef View origins = view(changed.layout_from, sizeof(int32_t), given.count)
    cdef View removed = view(changed.removed_ids, sizeof(int32_t))
    cdef View starts = view(changed.added_starts, sizeof(int32_t))
    cdef View gone = view(changed.removed_starts, sizeof(int32_t), starts.count)
    cdef Py_ssize_t file, i
    cdef int64_t origin
    check_starts(starts, given.count)
    check_starts(gone, removed.count)
    for file in range(starts.count - 1):
        for i in range(starts.ints()[file], starts.ints()[file + 1]):
            if not marks.bytes()[i]:
                continue
            given.bytes()[i] = LAYOUT
            if origins.ints()[i] != NO_SOURCE:
                origin = <int64_t>origins.ints()[i] + gone.ints()[file]
                if not gone.ints()[file] <= origin < gone.ints()[file + 1]:
                    raise ValueError("a layout line continues a line outside its file")
                source.ints()[i] = removed.ints()[origin]


def claim_moved(dict columns, changed):
    """Classify open lines that equal a removed line which no layout line continues; each is claimed once, in order."""
    cdef View kind = view(columns["kind"], 1), line = view(columns["line"], sizeof(uint64_t), kind.count)
    cdef View removed = view(changed.removed_ids, sizeof(int32_t))
    cdef View layout = view(changed.removed_layout, 1, removed.count)
    cdef View marked = view(changed.removed_alive, 1, removed.count, True)
    cdef View wanted = view(changed.line_hashes, sizeof(uint64_t))
    cdef View given = view(changed.classes, 1, wanted.count, True)
    cdef View source = view(changed.sources, sizeof(int32_t), wanted.count, True)
    cdef Ints later = Ints.__new__(Ints)
    cdef Table waiting = Table.__new__(Table)
    cdef Slot *slot
    cdef int64_t i, first
    check_rows(removed, kind.count)
    later.reserve(removed.count)
    for i in range(removed.count - 1, -1, -1):
        if kind.bytes()[removed.ints()[i]] != BLANK and not layout.bytes()[i]:
            slot = waiting.put(line.hashes()[removed.ints()[i]])
            later.data[i] = slot.value if slot.count else NONE
            slot.count, slot.value = 1, <int32_t>i
    if not waiting.used:
        return
    for i in range(wanted.count):
        if given.bytes()[i] != OPEN:
            continue
        slot = waiting.find(wanted.hashes()[i])
        if slot != NULL and slot.value != NONE:
            first = slot.value
            slot.value = later.data[first]
            given.bytes()[i] = MOVED
            source.ints()[i] = removed.ints()[first]
            marked.bytes()[first] = 1


def rank(changed):
    """Classify the rest as comment or novel, and rank lines among those of the same shape."""
    cdef View given = view(changed.classes, 1, -1, True), ranked = view(changed.ranks, 1, given.count, True)
    cdef View kind = view(changed.kinds, 1, given.count), head = view(changed.heads, 1, given.count)
    cdef View shape = view(changed.line_shapes, sizeof(uint64_t), given.count)
    cdef Table seen = Table.__new__(Table)
    cdef Slot *slot
    cdef Py_ssize_t i
    for i in range(given.count):
        if given.bytes()[i] != OPEN:
            continue
        given.bytes()[i] = COMMENT if kind.bytes()[i] == COMMENT_LINE else NOVEL
        if given.bytes()[i] == COMMENT or head.bytes()[i]:
            slot = seen.put(shape.hashes()[i])
            slot.count = min(slot.count + 1, MAX_RANK)
            ranked.bytes()[i] = <uint8_t>slot.count


def mark_replaced(changed):
    """Mark the removed lines that others replace. Returns the blocks in which some of them are fresh.

    A block has five numbers, as `FileLines.blocks` has them. The result names the file, the recount, the start and
    stop of the removed lines and the first added line.
    """
    cdef list blocks = [one.lines.blocks for one in changed.files]
    cdef View young = view(changed.removed_fresh, 1), marked = view(changed.removed_replaced, 1, young.count, True)
    cdef View added = view(changed.added_starts, sizeof(int32_t), len(blocks) + 1)
    cdef View removed = view(changed.removed_starts, sizeof(int32_t), len(blocks) + 1), column
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
            if numbers[4] == NO_SOURCE:
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


def store_added(dict columns, changed, births, int32_t delivery):
    """Write the facts of added lines to their rows. A line with a known source inherits its credit."""
    cdef View source = view(changed.sources, sizeof(int32_t))
    cdef View rows = view(changed.added_ids, sizeof(int32_t), source.count)
    cdef View klass = view(columns["class"], 1)
    cdef View target, column
    cdef Py_ssize_t i
    cdef size_t size
    cdef int32_t row
    check_rows(rows, klass.count)
    for i in range(source.count):
        if i and rows.ints()[i] <= rows.ints()[i - 1]:
            raise ValueError("the rows of added lines do not rise")
        if source.ints()[i] != NO_SOURCE and not 0 <= source.ints()[i] < rows.ints()[0]:
            raise ValueError("a line inherits from a later line")
    for name, values, size in (
        ("line", changed.line_hashes, 8), ("shape", changed.line_shapes, 8), ("size", changed.sizes, 1),
        ("kind", changed.kinds, 1), ("head", changed.heads, 1), ("class", changed.classes, 1),
        ("tokens", changed.tokens, 1), ("own_tokens", changed.own_tokens, 1), ("rank", changed.ranks, 1),
        ("in_test", changed.in_tests, 1), ("birth", births, 4),
    ):
        target = view(columns[name], size, klass.count, True)
        column = view(values, size, source.count)
        for i in range(source.count):
            memcpy(target.bytes() + <size_t>rows.ints()[i] * size, column.bytes() + <size_t>i * size, size)
    target = view(columns["delivery"], 4, klass.count, True)
    for i in range(source.count):
        target.ints()[rows.ints()[i]] = delivery
    for name, size in (
        ("tokens", 1), ("own_tokens", 1), ("rank", 1), ("in_test", 1), ("birth", 4), ("delivery", 4), ("class", 1),
    ):
        target = view(columns[name], size, klass.count, True)
        for i in range(source.count):
            row = source.ints()[i]
            # An unread earlier line has no credit to carry on. Classes come last: they say whether it was read.
            if row != NO_SOURCE and klass.bytes()[row] != UNREAD:
                memcpy(target.bytes() + <size_t>rows.ints()[i] * size, target.bytes() + <size_t>row * size, size)
