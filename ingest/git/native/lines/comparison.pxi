# The two sides of a block compared: layout, new and gone tokens. Oracle: `lexing.token_diff`.


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
    cdef Table first
    cdef Spans tokens
    cdef Ints following     # the next token with the same hash, or -1

    def __cinit__(self):
        self.first, self.tokens, self.following = Table(), Spans(), Ints()

    cdef int clear(self, Py_ssize_t tokens) except -1:
        """Forget all tokens, and make room for so many."""
        self.tokens.size = self.following.size = 0
        return self.first.clear(tokens)

    cdef int32_t number(self, Span token) except -1:
        cdef Slot *slot
        cdef int32_t at, made = <int32_t>self.tokens.size
        if token.n == 1 and token.s[0] == c"'":
            token.s = <const uint8_t *><const char *>"\""
        slot = self.first.put(XXH3_64bits_withSeed(token.s, token.n, SEED))
        if not slot.count:
            slot.count, slot.value = 1, made
        else:
            at = slot.value
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
    cdef Ints stock, balance, next_waiting
    cdef int32_t recounted      # tokens that a recount knows
    cdef Table by_key
    cdef Bytes scratch

    def __cinit__(self):
        self.vocabulary, self.by_key = Vocabulary(), Table()
        self.removed, self.added, self.removed_bare, self.added_bare = (
            TokenLists(), TokenLists(), TokenLists(), TokenLists()
        )
        self.claims, self.stock, self.balance, self.next_waiting = Ints(), Ints(), Ints(), Ints()
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
        cdef Slot *slot
        cdef int32_t first
        self.by_key.clear(removed.changed.size)
        self.next_waiting.size = 0
        self.next_waiting.fill(-1, removed.changed.size)
        for at in range(removed.changed.size - 1, -1, -1):
            if removed.owner.data[at] == at and removed.kind.data[at] != BLANK and not self.claimed.data[at]:
                slot = self.by_key.put(
                    hash_layout(removed.bare.data[at], self.scratch) if bare else removed.layout.data[at]
                )
                self.next_waiting.data[at] = slot.value if slot.count else -1
                slot.count, slot.value = 1, <int32_t>at
        for at in range(added.changed.size):
            if added.owner.data[at] != at or added.kind.data[at] == BLANK or self.claims.data[at] != NO_SOURCE:
                continue
            slot = self.by_key.find(
                hash_layout(added.bare.data[at], self.scratch) if bare else added.layout.data[at]
            )
            if slot != NULL and slot.value >= 0:
                first = slot.value
                self.claims.data[at] = first
                self.claimed.data[first] = 1
                slot.value = self.next_waiting.data[first]
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
