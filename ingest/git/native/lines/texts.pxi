# Texts that stay where they are, and the classes of their characters.
#
# A span is a part of the caller's bytes or of an arena; its maker keeps the text alive. Oracles: the methods of
# `bytes` and the patterns of `re`.

from libc.stdlib cimport malloc
from libc.string cimport memchr, memcmp, strchr

cdef extern from "xxhash.h" nogil:
    uint64_t XXH3_64bits(const void *data, size_t size)
    uint64_t XXH3_64bits_withSeed(const void *data, size_t size, uint64_t seed)

cdef enum:
    WORD = 1        # part of a word: letters, digits, `_` and all bytes from 0x80
    SIGN = 2        # a token of its own
    SPACE = 4       # what bytes.strip() removes
    DIGIT = 8
    NAME = 16       # \w of a pattern of bytes: a word without the bytes from 0x80

cdef enum:
    MAX_INPUT = 0x7FFFFF00

cdef uint8_t CLASS[256]


for _c in range(256):
    _is_name = chr(_c).isalnum() and _c < 0x80 or _c == 0x5F
    CLASS[_c] = (
        WORD * (_is_name or _c >= 0x80) | SIGN * (0x21 <= _c <= 0x7E and not _is_name and _c != 0x2C)
        | SPACE * (_c == 0x20 or 0x09 <= _c <= 0x0D) | DIGIT * (0x30 <= _c <= 0x39) | NAME * _is_name
    )


cdef struct Span:
    const uint8_t *s
    Py_ssize_t n


@cython.final
cdef class Spans(Column):
    """Texts that others keep alive."""
    cdef Span *data

    def __cinit__(self):
        self.item = sizeof(Span)

    cdef inline int add(self, Span value) except -1:
        if self.size == self.room:
            self.data = <Span *>self.grown(1)
        self.data[self.size] = value
        self.size += 1
        return 0


@cython.final
cdef class Arena:
    """Texts that stay where they are until all of them are freed."""
    cdef list chunks
    cdef Py_ssize_t used, room
    cdef uint8_t *chunk

    cdef int clear(self) except -1:
        """Free the texts; the newest chunk stays for the next ones."""
        if self.chunks is not None and len(self.chunks) > 1:
            del self.chunks[:-1]
        self.used = 0
        return 0

    cdef Span keep(self, const uint8_t *s, Py_ssize_t n) except *:
        """A copy of a text."""
        cdef Span kept
        cdef bytes chunk
        if self.chunk == NULL or n > self.room - self.used:
            self.room = n if n > 65536 else 65536
            chunk = PyBytes_FromStringAndSize(NULL, self.room)
            if self.chunks is None:
                self.chunks = []
            self.chunks.append(chunk)
            self.chunk = <uint8_t *>PyBytes_AsString(chunk)
            self.used = 0
        kept.s = self.chunk + self.used
        kept.n = n
        if n:
            memcpy(self.chunk + self.used, s, n)
        self.used += n
        return kept


cdef inline Span span(const uint8_t *s, Py_ssize_t n) noexcept:
    cdef Span made
    made.s = s
    made.n = n
    return made


cdef inline Span span_of(bytes text) except *:
    """The content of `text`, which the caller keeps alive."""
    return span(<const uint8_t *>PyBytes_AsString(text), len(text))


cdef inline Span left_stripped(Span t) noexcept:
    while t.n and CLASS[t.s[0]] & SPACE:
        t.s += 1
        t.n -= 1
    return t


cdef inline Span right_stripped(Span t) noexcept:
    while t.n and CLASS[t.s[t.n - 1]] & SPACE:
        t.n -= 1
    return t


cdef inline Span stripped(Span t) noexcept:
    return left_stripped(right_stripped(t))


cdef inline bint starts_with(Span t, Span prefix) noexcept:
    return t.n >= prefix.n and memcmp(t.s, prefix.s, prefix.n) == 0


cdef inline bint same(Span a, Span b) noexcept:
    return a.n == b.n and memcmp(a.s, b.s, a.n) == 0


cdef Py_ssize_t find(const uint8_t *s, Py_ssize_t start, Py_ssize_t stop, Span what) noexcept:
    """The first place of `what` (not empty) within s[start:stop], or -1."""
    cdef const uint8_t *at
    if start < 0:
        start = 0
    while stop - start >= what.n:
        at = <const uint8_t *>memchr(s + start, what.s[0], stop - start - what.n + 1)
        if at == NULL:
            return -1
        if memcmp(at, what.s, what.n) == 0:
            return at - s
        start = at - s + 1
    return -1


cdef Py_ssize_t find_last(const uint8_t *s, Py_ssize_t start, Py_ssize_t stop, Span what) noexcept:
    """The last place of `what` (not empty) within s[start:stop], or -1."""
    cdef Py_ssize_t at = stop - what.n
    while at >= start:
        if s[at] == what.s[0] and memcmp(s + at, what.s, what.n) == 0:
            return at
        at -= 1
    return -1


cdef inline Py_ssize_t line_start(const uint8_t *s, Py_ssize_t at) noexcept:
    """The place after the last newline before `at`."""
    while at > 0 and s[at - 1] != c"\n":
        at -= 1
    return at


cdef inline Py_ssize_t line_end(const uint8_t *s, Py_ssize_t at, Py_ssize_t stop) noexcept:
    """The place of the first newline from `at` on, or `stop`."""
    cdef const uint8_t *found
    if at >= stop:
        return stop
    found = <const uint8_t *>memchr(s + at, c"\n", stop - at)
    return stop if found == NULL else found - s


cdef bint is_one_of(Span t, const char *words) noexcept:
    """Whether `t` is one of the words, which are separated by blanks."""
    cdef Py_ssize_t end
    while words[0]:
        end = 0
        while words[end] and words[end] != c" ":
            end += 1
        if t.n == end and memcmp(t.s, words, end) == 0:
            return True
        words += end + (words[end] == c" ")
    return False


cdef inline bint is_sign(uint8_t c, const char *signs) noexcept:
    return c and strchr(signs, c) != NULL


cdef Span input_of(bytes text) except *:
    if len(text) > MAX_INPUT:
        raise ValueError("a text is too large")
    return span_of(text)
