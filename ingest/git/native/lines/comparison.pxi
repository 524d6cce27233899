# The two sides of a block compared: layout, new and gone tokens, substitutions.
# Oracles: `lexing.token_diff` and `changes.substitutions`.

cdef enum:
    TOKEN_LIMIT = 31
    MAX_CANDIDATES = 8
    NO_SOURCE = -1


@cython.final
cdef class TokenLists:
    """Texts as numbers of their tokens, equal ones having the same number."""
    cdef Ints ids, starts       # of text i: ids[starts[i]:starts[i + 1]]

    def __cinit__(self):
        self.ids, self.starts = Ints(), Ints()

    cdef int clear(self) except -1:
        self.ids.size = self.starts.size = 0
        return self.starts.add(0)


@cython.final
cdef class Vocabulary:
    """Numbers of tokens, by first occurrence. Equal hashes are told apart by the tokens themselves."""
    cdef Map first
    cdef Spans tokens
    cdef Ints following     # the next token with the same hash, or -1

    def __cinit__(self):
        self.first, self.tokens, self.following = Map(), Spans(), Ints()

    cdef int clear(self, Py_ssize_t tokens) except -1:
        """Forget all tokens, and make room for so many."""
        self.tokens.size = self.following.size = 0
        return self.first.clear(tokens)

    cdef int32_t number(self, Span token) except -1:
        cdef int32_t *slot
        cdef int32_t at, made = <int32_t>self.tokens.size
        if token.n == 1 and token.s[0] == 39:
            token.s = <const uint8_t *><const char *>"\""
        slot = self.first.slot(XXH3_64bits_withSeed(token.s, token.n, SEED))
        at = slot[0]
        if at == -1:
            slot[0] = made
        else:
            while True:
                if same(self.tokens.data[at], token):
                    return at
                if self.following.data[at] < 0:
                    break
                at = self.following.data[at]
            self.following.data[at] = made
        self.tokens.add(token)
        self.following.add(-1)
        return made

    cdef int add(self, Spans texts, TokenLists lists) except -1:
        """Append the tokens of each text."""
        cdef Py_ssize_t i, at, end = 0
        cdef Span text
        lists.clear()
        for i in range(texts.size):
            text = texts.data[i]
            at = 0
            while True:
                at = next_token(text, at, &end)
                if at < 0:
                    break
                lists.ids.add(self.number(span(text.s + at, end - at)))
                at = end
            lists.starts.add(<int32_t>lists.ids.size)
        return 0


cdef int spend(Ints stock, TokenLists texts, const int32_t *claims, Bytes counts) except -1:
    """Per text the number of tokens missing from the stock; the others are taken from it."""
    cdef Py_ssize_t i, k
    cdef int new
    cdef int32_t token
    counts.size = 0
    for i in range(texts.starts.size - 1):
        new = 0
        if claims[i] == NO_SOURCE:
            for k in range(texts.starts.data[i], texts.starts.data[i + 1]):
                token = texts.ids.data[k]
                if stock.data[token]:
                    stock.data[token] -= 1
                else:
                    new += 1
        counts.add(new if new < TOKEN_LIMIT else TOKEN_LIMIT)
    return 0


@cython.final
cdef class Comparison:
    """The results of the oracle's `compare`, in columns, and what is needed to count again."""
    cdef Vocabulary vocabulary
    cdef TokenLists removed, added, removed_bare, added_bare
    cdef Ints claims            # per added line the head that it claims, on heads of layout; else NO_SOURCE
    cdef Bytes claimed          # per removed line: a head of layout claims it
    cdef Bytes tokens, gone
    cdef Ints stock, balance, waiting, next_waiting
    cdef int32_t recounted      # tokens that a recount knows
    cdef Map by_key
    cdef Bytes scratch

    def __cinit__(self):
        self.vocabulary, self.by_key = Vocabulary(), Map()
        self.removed, self.added, self.removed_bare, self.added_bare = (
            TokenLists(), TokenLists(), TokenLists(), TokenLists()
        )
        self.claims, self.stock, self.balance, self.waiting = Ints(), Ints(), Ints(), Ints()
        self.next_waiting = Ints()
        self.claimed, self.tokens, self.gone, self.scratch = Bytes(), Bytes(), Bytes(), Bytes()

    cdef int read(self, Side removed, Side added) except -1:
        """Compare two sides with lines."""
        cdef bint has_bare = removed.has_bare or added.has_bare
        self.claims.size = self.claimed.size = 0
        self.claims.fill(NO_SOURCE, added.changed.size)
        self.claimed.fill(0, removed.changed.size)
        self._claim(removed, added, False)
        if has_bare:
            self._claim(removed, added, True)
        # Layout characters may join two tokens to a new one: at most as many as there are.
        self.vocabulary.clear(2 * (removed.tokens() + added.tokens()))
        self.vocabulary.add(removed.text, self.removed)
        self.vocabulary.add(added.text, self.added)
        if added.has_bare:
            self.vocabulary.add(added.bare, self.added_bare)
        self.recounted = <int32_t>self.vocabulary.tokens.size
        if removed.has_bare:
            self.vocabulary.add(removed.bare, self.removed_bare)
        self.stock.size = self.balance.size = 0
        self.stock.fill(0, self.vocabulary.tokens.size)
        self.balance.fill(0, self.vocabulary.tokens.size)
        self._take_stock()
        spend(self.stock, self.added_bare if added.has_bare else self.added, self.claims.data, self.tokens)
        if added.has_bare:
            self._set_off(self.added, self.added_bare, True)
        if removed.has_bare:
            self._set_off(self.removed, self.removed_bare, False)
        self._find_gone(self.removed_bare if removed.has_bare else self.removed)
        return 0

    cdef int _claim(self, Side removed, Side added, bint bare) except -1:
        """Let heads of added logical lines claim removed ones with the same layout hash, in order."""
        cdef Py_ssize_t at
        cdef int32_t *slot
        cdef int32_t first
        self.by_key.clear(removed.changed.size)
        self.waiting.size = self.next_waiting.size = 0
        self.next_waiting.fill(-1, removed.changed.size)
        for at in range(removed.changed.size - 1, -1, -1):
            if removed.owner.data[at] == at and removed.kind.data[at] != BLANK and not self.claimed.data[at]:
                slot = self.by_key.slot(
                    hash_layout(removed.bare.data[at], self.scratch) if bare else removed.layout.data[at]
                )
                if slot[0] == -1:
                    slot[0] = <int32_t>self.waiting.size
                    self.waiting.add(-1)
                self.next_waiting.data[at] = self.waiting.data[slot[0]]
                self.waiting.data[slot[0]] = <int32_t>at
        for at in range(added.changed.size):
            if added.owner.data[at] != at or added.kind.data[at] == BLANK or self.claims.data[at] != NO_SOURCE:
                continue
            first = self.by_key.find(
                hash_layout(added.bare.data[at], self.scratch) if bare else added.layout.data[at]
            )
            if first >= 0 and self.waiting.data[first] >= 0:
                self.claims.data[at] = self.waiting.data[first]
                self.claimed.data[self.waiting.data[first]] = 1
                self.waiting.data[first] = self.next_waiting.data[self.waiting.data[first]]
        return 0

    cdef int _take_stock(self) except -1:
        cdef Py_ssize_t i, k
        for i in range(self.claimed.size):
            if not self.claimed.data[i]:
                for k in range(self.removed.starts.data[i], self.removed.starts.data[i + 1]):
                    self.stock.data[self.removed.ids.data[k]] += 1
        return 0

    cdef int _set_off(self, TokenLists texts, TokenLists bare, bint is_added) except -1:
        """Remove the layout characters of one side from the stock."""
        cdef Py_ssize_t i, k
        cdef int32_t token, left
        for i in range(texts.starts.size - 1):
            if (self.claims.data[i] != NO_SOURCE) if is_added else self.claimed.data[i]:
                continue
            for k in range(texts.starts.data[i], texts.starts.data[i + 1]):
                self.balance.data[texts.ids.data[k]] += 1
            for k in range(bare.starts.data[i], bare.starts.data[i + 1]):
                self.balance.data[bare.ids.data[k]] -= 1
            for k in range(texts.starts.data[i], texts.starts.data[i + 1]):
                token = texts.ids.data[k]
                if self.balance.data[token] > 0:
                    left = self.stock.data[token] - self.balance.data[token]
                    self.stock.data[token] = left if left > 0 else 0
                self.balance.data[token] = 0
            for k in range(bare.starts.data[i], bare.starts.data[i + 1]):
                self.balance.data[bare.ids.data[k]] = 0
        return 0

    cdef int _find_gone(self, TokenLists texts) except -1:
        """The removed lines whose tokens are left in the stock; its last occurrences are gone."""
        cdef Py_ssize_t i, k
        self.gone.size = 0
        self.gone.fill(0, self.claimed.size)
        for i in range(self.claimed.size - 1, -1, -1):
            if self.claimed.data[i]:
                continue
            for k in range(texts.starts.data[i], texts.starts.data[i + 1]):
                if self.stock.data[texts.ids.data[k]]:
                    self.stock.data[texts.ids.data[k]] -= 1
                    self.gone.data[i] = 1
        return 0

    cdef bytes recount(self, bint has_bare):
        """What `own_tokens` needs. Layout: `changes.file_lines`."""
        cdef Ints out = Ints()
        cdef Py_ssize_t i
        out.add(<int32_t>self.claimed.size)
        out.add(<int32_t>self.claims.size)
        out.add(self.recounted)
        out.add(has_bare)
        for i in range(self.claims.size):
            out.add(self.claims.data[i])
        add_counts(self.removed, out)
        add_counts(self.added, out)
        if has_bare:
            add_counts(self.added_bare, out)
        add_tokens(self.removed, out)
        add_tokens(self.added, out)
        if has_bare:
            add_tokens(self.added_bare, out)
        return out.result()


cdef int add_counts(TokenLists texts, Ints out) except -1:
    cdef Py_ssize_t i
    for i in range(texts.starts.size - 1):
        out.add(texts.starts.data[i + 1] - texts.starts.data[i])
    return 0


cdef int add_tokens(TokenLists texts, Ints out) except -1:
    cdef Py_ssize_t i
    for i in range(texts.ids.size):
        out.add(texts.ids.data[i])
    return 0


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

    Oracle: `lexing.token_diff.own_tokens`. Raises ValueError for anything but a recount.
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


cdef int order(const void *a, const void *b) noexcept nogil:
    cdef uint64_t x = (<const uint64_t *>a)[0], y = (<const uint64_t *>b)[0]
    return (x > y) - (x < y)


@cython.final
cdef class Substitutions:
    """Added lines that equal a removed line but for replaced words."""
    cdef Map by_key
    cdef Ints rows, next_row, first_row, last_row
    cdef Hashes keys, best
    cdef int32_t claimed    # the removed line of `best`
    cdef Bytes scratch

    def __cinit__(self):
        self.by_key, self.rows, self.next_row, self.first_row = Map(), Ints(), Ints(), Ints()
        self.last_row, self.keys, self.best, self.scratch = Ints(), Hashes(), Hashes(), Bytes()

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
        cdef int32_t *slot
        cdef int32_t group
        cdef Span line
        self.by_key.clear(removed.changed.size)
        self.next_row.size = self.first_row.size = self.last_row.size = 0
        self.next_row.fill(-1, removed.changed.size)
        for i in range(removed.changed.size):
            line = stripped(removed.lines.data[removed.changed.data[i]])
            if not line.n or removed_layout[i]:
                continue
            slot = self.by_key.slot(self._key(line))
            if slot[0] == -1:
                slot[0] = <int32_t>self.first_row.size
                self.first_row.add(<int32_t>i)
                self.last_row.add(<int32_t>i)
            else:
                self.next_row.data[self.last_row.data[slot[0]]] = <int32_t>i
                self.last_row.data[slot[0]] = <int32_t>i
        if not self.first_row.size:
            return 0
        for i in range(added.changed.size):
            if is_layout[i]:
                continue
            line = stripped(added.lines.data[added.changed.data[i]])
            group = self.by_key.find(self._key(line))
            if group >= 0 and self._claim(removed, line, group):
                found[first + i] = (first_removed + self.claimed, *[self.best.data[k] for k in range(self.best.size)])
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
        cdef Py_ssize_t a = 0, b = 0, a_end, b_end, i, kept
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
        if self.keys.size > 1:
            qsort(self.keys.data, self.keys.size, sizeof(uint64_t), order)
            kept = 1
            for i in range(1, self.keys.size):
                if self.keys.data[i] != self.keys.data[kept - 1]:
                    self.keys.data[kept] = self.keys.data[i]
                    kept += 1
            self.keys.size = kept
        return 0
