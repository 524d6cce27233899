# Histograms of classified lines. Oracle: `rows.histograms`.


def tally(list names, list facts, list labels, line_starts):
    """Histograms of the lines of each file, one for each combination of names, in order of their first lines.

    `names` are columns of 32-bit numbers, `facts` columns of bytes. A histogram is a sorted list of the combinations
    of facts, each with its number of lines; where a column has labels, they stand for its values.
    """
    cdef View starts = view(line_starts, sizeof(int32_t))
    cdef Py_ssize_t count = starts.ints()[starts.count - 1] if starts.count else 0
    cdef Py_ssize_t wide = len(names), width = wide + len(facts), file, i, k, at
    cdef uint64_t hashed
    cdef Ints values = Ints.__new__(Ints), lines = Ints.__new__(Ints), counts = Ints.__new__(Ints)
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
            values.data[i * width + k] = column.ints()[i] if k < wide else column.bytes()[i]
    result = []
    for file in range(starts.count - 1):
        table = Table.__new__(Table)
        lines.size = counts.size = 0
        for i in range(starts.ints()[file], starts.ints()[file + 1]):
            hashed = 0
            for k in range(width):
                hashed = (hashed ^ <uint32_t>values.data[i * width + k]) * FACTOR
            while True:
                slot = table.put(hashed)
                if not slot.count:
                    slot.count, slot.value = 1, <int32_t>lines.size
                    lines.add(<int32_t>i)
                    counts.add(1)
                    break
                if is_same(values.data + lines.data[slot.value] * width, values.data + i * width, width):
                    counts.data[slot.value] += 1
                    break
                hashed += 1  # another line has this hash
        groups = {}
        for at in range(lines.size):
            line = values.data + lines.data[at] * width
            key = tuple([line[k] for k in range(wide)])
            found = groups.setdefault(key, [])
            found.append((*[line[k] for k in range(wide, width)], counts.data[at]))
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
