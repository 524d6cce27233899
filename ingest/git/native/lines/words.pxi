# Which of some words a text holds, whatever the case of their letters. Oracle: `machine_text.words`.
#
# Three neighbouring bytes of each word, its rarest ones, are marked in a table. Where a text has marked bytes, the
# words with them are compared.

cdef enum:
    GRAM_BITS = 15
    GRAMS = 6           # of eight bytes
    FOUND = 3           # numbers of 64 bits

cdef uint8_t FOLDED[256]

for _c in range(256):
    FOLDED[_c] = _c + 32 if 0x41 <= _c <= 0x5A else _c


cdef inline uint32_t gram_place(uint64_t folded) noexcept:
    """Place in the table of the lowest three bytes, which the multiplication alone keeps."""
    return (<uint32_t>folded * <uint32_t>0x3779B100) >> (32 - GRAM_BITS)


cdef inline uint32_t gram_of(const uint8_t *s) noexcept:
    """Three bytes, equal for letters of both cases."""
    return (s[0] | (<uint32_t>s[1] << 8) | (<uint32_t>s[2] << 16)) | 0x202020


cdef inline uint64_t eight_of(const uint8_t *s) noexcept:
    """The same of eight bytes. Compilers take it for one number that is read."""
    return (
        <uint64_t>s[0] | <uint64_t>s[1] << 8 | <uint64_t>s[2] << 16 | <uint64_t>s[3] << 24 | <uint64_t>s[4] << 32
        | <uint64_t>s[5] << 40 | <uint64_t>s[6] << 48 | <uint64_t>s[7] << 56
    ) | <uint64_t>0x2020202020202020


cdef struct Word:
    Span text
    Py_ssize_t at       # of its marked bytes
    int following       # the next word with the same place, from 1 on; 0 for none


@cython.final
cdef class Words:
    """At most `MOST_WORDS` words in lower case, of at least `MARKED_BYTES` each."""
    cdef Word words[MOST_WORDS]
    cdef list kept
    cdef uint8_t marked[1 << GRAM_BITS]

    def __cinit__(self, list words not None, list places not None):
        """`places` has the position of the marked bytes of each word. Raises ValueError."""
        cdef Py_ssize_t number
        cdef Word word
        cdef uint32_t place
        if len(words) > MOST_WORDS or len(words) != len(places):
            raise ValueError("too many words, or a word without place")
        self.kept = [bytes(one) for one in words]
        for number in range(len(words)):
            word.text = input_of(self.kept[number])
            word.at = places[number]
            if not 0 <= word.at <= word.text.n - MARKED_BYTES:
                raise ValueError("a word is too short for its place")
            place = gram_place(gram_of(word.text.s + word.at))
            word.following = self.marked[place]
            self.words[number] = word
            self.marked[place] = <uint8_t>(number + 1)

    def find(self, bytes text not None):
        """The words in a text: bit n for word n."""
        cdef Span data = input_of(text)
        cdef Py_ssize_t at = 0
        cdef uint64_t found[FOUND]
        cdef uint64_t signs
        memset(found, 0, sizeof(found))
        while at + 8 <= data.n:
            signs = eight_of(data.s + at)
            if (
                self.marked[gram_place(signs)]
                | self.marked[gram_place(signs >> 8)]
                | self.marked[gram_place(signs >> 16)]
                | self.marked[gram_place(signs >> 24)]
                | self.marked[gram_place(signs >> 32)]
                | self.marked[gram_place(signs >> 40)]
            ):
                self._find_from(data, at, at + GRAMS, found)
            at += GRAMS
        self._find_from(data, at, data.n - MARKED_BYTES + 1, found)
        if not found[1] and not found[2]:
            return found[0]
        return found[0] | <object>found[1] << 64 | <object>found[2] << 128

    cdef void _find_from(self, Span data, Py_ssize_t start, Py_ssize_t stop, uint64_t *found) noexcept:
        """Add the words that are marked between two positions."""
        cdef Py_ssize_t at
        cdef int number
        for at in range(start, stop):
            number = self.marked[gram_place(gram_of(data.s + at))]
            while number:
                if self._is_at(data, at, number - 1):
                    found[(number - 1) >> 6] |= <uint64_t>1 << ((number - 1) & 63)
                number = self.words[number - 1].following

    cdef bint _is_at(self, Span data, Py_ssize_t at, int number) noexcept:
        """Whether a word has its marked bytes there."""
        cdef Span word = self.words[number].text
        cdef Py_ssize_t start = at - self.words[number].at, i = 0
        if start < 0 or word.n > data.n - start:
            return False
        while i < word.n and FOLDED[data.s[start + i]] == word.s[i]:
            i += 1
        return i == word.n
