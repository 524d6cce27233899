# Which of some words a text holds, whatever the case of their letters. Oracle: `files.words`.
#
# Three neighbouring bytes of each word, its rarest ones, are marked in a table. Where a text has marked bytes, the
# words with them are compared.

cdef enum:
    GRAM_BITS = 13
    GRAM_BYTES = 3
    GRAMS = 6           # of eight bytes
    MAX_WORDS = 128

cdef uint8_t FOLDED[256]

for _c in range(256):
    FOLDED[_c] = _c + 32 if 0x41 <= _c <= 0x5A else _c


cdef inline uint32_t gram_place(uint32_t gram) noexcept:
    """Place in the table, equal for letters of both cases."""
    return ((gram | 0x202020) * <uint32_t>0x9E3779B1) >> (32 - GRAM_BITS)


cdef inline uint32_t gram_of(const uint8_t *s) noexcept:
    return s[0] | (<uint32_t>s[1] << 8) | (<uint32_t>s[2] << 16)


cdef inline uint64_t eight_of(const uint8_t *s) noexcept:
    return gram_of(s) | <uint64_t>gram_of(s + 3) << 24 | <uint64_t>s[6] << 48 | <uint64_t>s[7] << 56


cdef struct Word:
    Span text
    Py_ssize_t at       # of its marked bytes
    uint32_t place


@cython.final
cdef class Words:
    """At most 128 words in lower case, of three bytes or more each. Its finder finds them in one text after another."""
    cdef Word words[MAX_WORDS]
    cdef int count
    cdef list kept
    cdef uint8_t marked[1 << GRAM_BITS]

    def __cinit__(self, list words not None, list places not None):
        """`places` has the position of the marked bytes of each word. Raises ValueError."""
        cdef Py_ssize_t number
        cdef Word word
        if len(words) > MAX_WORDS or len(words) != len(places):
            raise ValueError("too many words, or a word without place")
        self.kept = [bytes(one) for one in words]
        for number in range(len(words)):
            word.text = input_of(self.kept[number])
            word.at = places[number]
            if not 0 <= word.at <= word.text.n - GRAM_BYTES:
                raise ValueError("a word is too short for its place")
            word.place = gram_place(gram_of(word.text.s + word.at))
            self.words[number] = word
            self.marked[word.place] = 1
        self.count = <int>len(words)

    def find(self, bytes text not None):
        """The words in a text: bit n for word n."""
        cdef Span data = input_of(text)
        cdef Py_ssize_t at = 0
        cdef uint64_t found[2]
        cdef uint64_t signs
        found[0] = found[1] = 0
        while at + 8 <= data.n:
            signs = eight_of(data.s + at)
            if (
                self.marked[gram_place(<uint32_t>signs & 0xFFFFFF)]
                | self.marked[gram_place(<uint32_t>(signs >> 8) & 0xFFFFFF)]
                | self.marked[gram_place(<uint32_t>(signs >> 16) & 0xFFFFFF)]
                | self.marked[gram_place(<uint32_t>(signs >> 24) & 0xFFFFFF)]
                | self.marked[gram_place(<uint32_t>(signs >> 32) & 0xFFFFFF)]
                | self.marked[gram_place(<uint32_t>(signs >> 40))]
            ):
                self._find_from(data, at, at + GRAMS, found)
            at += GRAMS
        self._find_from(data, at, data.n - GRAM_BYTES + 1, found)
        return <object>found[1] << 64 | found[0] if found[1] else found[0]

    cdef void _find_from(self, Span data, Py_ssize_t start, Py_ssize_t stop, uint64_t *found) noexcept:
        """Add the words that are marked between two positions."""
        cdef Py_ssize_t at
        cdef uint32_t place
        for at in range(start, stop):
            place = gram_place(gram_of(data.s + at))
            if self.marked[place]:
                self._find_at(data, at, place, found)

    cdef void _find_at(self, Span data, Py_ssize_t at, uint32_t place, uint64_t *found) noexcept:
        cdef Py_ssize_t start, i
        cdef int number
        for number in range(self.count):
            start = at - self.words[number].at
            if self.words[number].place != place or start < 0 or self.words[number].text.n > data.n - start:
                continue
            i = 0
            while i < self.words[number].text.n and FOLDED[data.s[start + i]] == self.words[number].text.s[i]:
                i += 1
            if i == self.words[number].text.n:
                found[number >> 6] |= <uint64_t>1 << (number & 63)
