# Line ids of file versions, and the hunks that change them. Oracle: `blame.line_edits`.


cdef bytes ids_of(Py_ssize_t count):
    """Room for line ids."""
    return PyBytes_FromStringAndSize(NULL, count * <Py_ssize_t>sizeof(int32_t))


cdef Ints flat(object hunks):
    """The numbers of the hunks of a file. Raises ValueError for a negative one."""
    cdef Ints found = Ints.__new__(Ints)
    cdef int64_t a, b, c, d
    for a, b, c, d in hunks:
        if not (0 <= a < 0x7FFFFFFF and 0 <= b < 0x7FFFFFFF and 0 <= c < 0x7FFFFFFF and 0 <= d < 0x7FFFFFFF):
            raise ValueError("a hunk has a number out of range")
        found.reserve(found.size + 4)
        found.data[found.size] = <int32_t>a
        found.data[found.size + 1] = <int32_t>b
        found.data[found.size + 2] = <int32_t>c
        found.data[found.size + 3] = <int32_t>d
        found.size += 4
    return found


cdef inline int64_t before(int32_t start, int32_t lines) noexcept:
    """Number of lines before one side of a hunk. A side without lines names the line before it."""
    return start - 1 if lines else start


def flatten(list hunks):
    """The hunks of several files as one column, and the position of each file's first hunk in it."""
    cdef Ints one, starts = Ints.__new__(Ints)
    cdef Ints every = Ints.__new__(Ints)
    starts.add(0)
    for of_file in hunks:
        one = flat(of_file)
        if one.size:
            every.reserve(every.size + one.size)
            memcpy(every.data + every.size, one.data, <size_t>one.size * sizeof(int32_t))
            every.size += one.size
        starts.add(<int32_t>(every.size // 4))
    return every.result(), starts.result()


def edit(old, hunks, int64_t first):
    """The removed lines of a file version, and the version after the hunks; added lines have ids from `first`.

    Hunks are cut at the end of the version. Raises ValueError where they are out of order.
    """
    cdef View ids = view(old, sizeof(int32_t))
    cdef Ints numbers = flat(hunks)
    cdef int64_t gone = 0, come = 0, position = 0, start, stop, k, i
    for k in range(0, numbers.size, 4):
        start = before(numbers.data[k], numbers.data[k + 1])
        if start < position:
            raise ValueError("the hunks are out of order")
        position = start + numbers.data[k + 1]
        gone += min(position, ids.count) - min(start, ids.count)
        come += numbers.data[k + 3]
    if first < 0 or first + come > 0x7FFFFFFF or ids.count - gone + come > 0x7FFFFFFF:
        raise ValueError("there are more lines than line ids")
    cdef bytes removed = ids_of(gone), result = ids_of(ids.count - gone + come)
    cdef int32_t *away = <int32_t *>PyBytes_AsString(removed)
    cdef int32_t *target = <int32_t *>PyBytes_AsString(result)
    position = 0
    for k in range(0, numbers.size, 4):
        start = before(numbers.data[k], numbers.data[k + 1])
        stop, start = min(start + numbers.data[k + 1], ids.count), min(start, ids.count)
        if start > position:
            memcpy(target, ids.ints() + position, <size_t>(start - position) * sizeof(int32_t))
            target += start - position
        if stop > start:
            memcpy(away, ids.ints() + start, <size_t>(stop - start) * sizeof(int32_t))
            away += stop - start
        for i in range(numbers.data[k + 3]):
            target[i] = <int32_t>(first + i)
        target += numbers.data[k + 3]
        first += numbers.data[k + 3]
        position = stop
    if ids.count > position:
        memcpy(target, ids.ints() + position, <size_t>(ids.count - position) * sizeof(int32_t))
    return removed, result


def pick(old, hunks, bint added):
    """The ids of a file version that its hunks added or removed. Raises ValueError for hunks beyond it."""
    cdef View ids = view(old, sizeof(int32_t))
    cdef Ints numbers = flat(hunks)
    cdef int64_t count = 0, start, lines, k, side = 2 if added else 0
    for k in range(0, numbers.size, 4):
        start, lines = before(numbers.data[k + side], numbers.data[k + side + 1]), numbers.data[k + side + 1]
        if start < 0 or start + lines > ids.count:
            raise ValueError("the hunks do not fit the file")
        count += lines
    if count > ids.count:
        raise ValueError("the hunks overlap")
    cdef bytes result = ids_of(count)
    cdef int32_t *target = <int32_t *>PyBytes_AsString(result)
    for k in range(0, numbers.size, 4):
        start, lines = before(numbers.data[k + side], numbers.data[k + side + 1]), numbers.data[k + side + 1]
        if lines:
            memcpy(target, ids.ints() + start, <size_t>lines * sizeof(int32_t))
            target += lines
    return result
