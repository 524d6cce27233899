# Tokens counted again once the fresh removed lines are known. Oracle: `lexing.token_diff`.


cdef int take_text(const int32_t *values, Py_ssize_t size, Py_ssize_t counts, Py_ssize_t rows, Py_ssize_t *at,
                   int32_t vocabulary, TokenLists out) except -1:
    """Read `rows` texts of a recount, whose tokens begin at `at`. Raises ValueError."""
    cdef Py_ssize_t i, k
    out.clear()
    for i in range(rows):
        if values[counts + i] < 0 or values[counts + i] > size - at[0]:
            raise ValueError("a recount has tokens beyond its end")
        for k in range(values[counts + i]):
            if not 0 <= values[at[0] + k] < vocabulary:
                raise ValueError("a recount has an unknown token")
            out.ids.add(values[at[0] + k])
        at[0] += values[counts + i]
        out.starts.add(<int32_t>out.ids.size)
    return 0


def own_tokens(bytes recount not None, bytes fresh not None):
    """New tokens per added line without the fresh removed lines, at most 31. `fresh`: 0 or 1 per removed line.

    Raises ValueError for anything but a recount.
    """
    cdef Ints values = Ints(), stock = Ints(), claims = Ints()
    cdef TokenLists removed = TokenLists(), added = TokenLists(), bare = TokenLists()
    cdef Py_ssize_t size = len(recount) // 4, rows, removed_rows, texts, at, i, k
    cdef int32_t claim
    cdef Bytes counts = Bytes()
    cdef const uint8_t *is_fresh = <const uint8_t *>PyBytes_AsString(fresh)
    cdef bint all_fresh = True
    if size < 4 or len(recount) % 4:
        raise ValueError("a recount is cut off")
    values.fill(0, size)
    memcpy(values.data, PyBytes_AsString(recount), size * 4)
    removed_rows, rows, texts = values.data[0], values.data[1], 3 if values.data[3] else 2
    if removed_rows != len(fresh) or rows < 0 or values.data[2] < 0 or values.data[2] > size:
        raise ValueError("a recount does not fit its lines")
    at = 4 + removed_rows + rows * texts
    if at > size:
        raise ValueError("a recount is cut off")
    take_text(values.data, size, 4 + rows, removed_rows, &at, values.data[2], removed)
    take_text(values.data, size, 4 + rows + removed_rows, rows, &at, values.data[2], added)
    if texts == 3:
        take_text(values.data, size, 4 + 2 * rows + removed_rows, rows, &at, values.data[2], bare)
    stock.fill(0, values.data[2])
    for i in range(removed_rows):
        all_fresh = all_fresh and is_fresh[i]
        if not is_fresh[i]:
            for k in range(removed.starts.data[i], removed.starts.data[i + 1]):
                stock.data[removed.ids.data[k]] += 1
    for i in range(rows):
        claim = values.data[4 + i]
        if not NO_SOURCE <= claim < removed_rows:
            raise ValueError("a recount claims an unknown line")
        if claim >= 0 and is_fresh[claim]:
            claim = NO_SOURCE
        if claim >= 0:
            for k in range(removed.starts.data[claim], removed.starts.data[claim + 1]):
                stock.data[removed.ids.data[k]] -= 1
        claims.add(claim)
    # Each removed line is claimed once, else its tokens would be taken twice.
    for i in range(stock.size):
        if stock.data[i] < 0:
            raise ValueError("a recount claims a line twice")
    # If nothing else was removed, the lines are an insertion and every token counts.
    spend(stock, bare if texts == 3 and not all_fresh else added, claims.data, counts)
    return counts.result()
