# Memory of the compiled modules: columns that grow, texts that stay where they are, and characters.
#
# Every object frees its memory itself, also after an error. A failed allocation raises MemoryError.

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, qsort, realloc
from libc.string cimport memchr, memcmp, memcpy, memset
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize

cdef extern from "xxhash.h" nogil:
    uint64_t XXH3_64bits(const void *data, size_t size)

cdef struct Span:
    const uint8_t *s
    Py_ssize_t n

cdef enum:
    WORD = 1        # part of a word: letters, digits, `_` and all bytes from 0x80
    SIGN = 2        # a token of its own
    SPACE = 4       # what bytes.strip() removes
    DIGIT = 8
    NAME = 16       # \w of a pattern of bytes: a word without the bytes from 0x80

cdef uint8_t CLASS[256]


def _fill_classes():
    for c in range(256):
        is_name = 0x30 <= c <= 0x39 or 0x41 <= c <= 0x5A or 0x61 <= c <= 0x7A or c == 0x5F
        CLASS[c] = 0
        if is_name or c >= 0x80:
            CLASS[c] |= WORD
        elif 0x21 <= c <= 0x7E and c != 0x2C:
            CLASS[c] |= SIGN
        if c == 0x20 or 0x09 <= c <= 0x0D:
            CLASS[c] |= SPACE
        if 0x30 <= c <= 0x39:
            CLASS[c] |= DIGIT
        if is_name:
            CLASS[c] |= NAME


_fill_classes()


cdef void *grow(void *data, Py_ssize_t *room, Py_ssize_t wanted, size_t item) except NULL:
    """Room for `wanted` items at least."""
    cdef Py_ssize_t target = room[0] + room[0] // 2 + 64
    cdef void *grown
    if target < wanted:
        target = wanted
    if <size_t>target > (<size_t>-1 >> 2) // item:
        raise MemoryError
    grown = realloc(data, <size_t>target * item)
    if grown == NULL:
        raise MemoryError
    room[0] = target
    return grown


@cython.final
cdef class Bytes:
    """A growing column of bytes."""
    cdef uint8_t *data
    cdef Py_ssize_t size, room

    def __dealloc__(self):
        free(self.data)

    cdef inline int add(self, uint8_t value) except -1:
        if self.size == self.room:
            self.data = <uint8_t *>grow(self.data, &self.room, self.size + 1, 1)
        self.data[self.size] = value
        self.size += 1
        return 0

    cdef inline int extend(self, const uint8_t *s, Py_ssize_t n) except -1:
        if n > self.room - self.size:
            self.data = <uint8_t *>grow(self.data, &self.room, self.size + n, 1)
        if n:
            memcpy(self.data + self.size, s, n)
        self.size += n
        return 0

    cdef int fill(self, uint8_t value, Py_ssize_t n) except -1:
        if n > self.room - self.size:
            self.data = <uint8_t *>grow(self.data, &self.room, self.size + n, 1)
        if n:
            memset(self.data + self.size, value, n)
        self.size += n
        return 0

    cdef bytes result(self):
        return PyBytes_FromStringAndSize(<char *>self.data, self.size)


@cython.final
cdef class Ints:
    """A growing column of 32-bit numbers."""
    cdef int32_t *data
    cdef Py_ssize_t size, room

    def __dealloc__(self):
        free(self.data)

    cdef inline int add(self, int32_t value) except -1:
        if self.size == self.room:
            self.data = <int32_t *>grow(self.data, &self.room, self.size + 1, sizeof(int32_t))
        self.data[self.size] = value
        self.size += 1
        return 0

    cdef int fill(self, int32_t value, Py_ssize_t n) except -1:
        cdef Py_ssize_t i
        if n > self.room - self.size:
            self.data = <int32_t *>grow(self.data, &self.room, self.size + n, sizeof(int32_t))
        for i in range(n):
            self.data[self.size + i] = value
        self.size += n
        return 0

    cdef bytes result(self):
        return PyBytes_FromStringAndSize(<char *>self.data, self.size * <Py_ssize_t>sizeof(int32_t))


@cython.final
cdef class Hashes:
    """A growing column of 64-bit hashes."""
    cdef uint64_t *data
    cdef Py_ssize_t size, room

    def __dealloc__(self):
        free(self.data)

    cdef inline int add(self, uint64_t value) except -1:
        if self.size == self.room:
            self.data = <uint64_t *>grow(self.data, &self.room, self.size + 1, sizeof(uint64_t))
        self.data[self.size] = value
        self.size += 1
        return 0

    cdef int fill(self, uint64_t value, Py_ssize_t n) except -1:
        cdef Py_ssize_t i
        for i in range(n):
            self.add(value)
        return 0

    cdef bytes result(self):
        return PyBytes_FromStringAndSize(<char *>self.data, self.size * <Py_ssize_t>sizeof(uint64_t))


@cython.final
cdef class Spans:
    """A growing column of texts, which others keep alive."""
    cdef Span *data
    cdef Py_ssize_t size, room

    def __dealloc__(self):
        free(self.data)

    cdef inline int add(self, Span value) except -1:
        if self.size == self.room:
            self.data = <Span *>grow(self.data, &self.room, self.size + 1, sizeof(Span))
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


@cython.final
cdef class Map:
    """64-bit keys to numbers from 0, with linear probing in a table that is at most half full."""
    cdef uint64_t *keys
    cdef int32_t *values
    cdef Py_ssize_t slots, used

    def __dealloc__(self):
        free(self.keys)
        free(self.values)

    cdef int clear(self) except -1:
        self.used = 0
        if self.slots > 4096:
            free(self.keys)
            free(self.values)
            self.keys = NULL
            self.values = NULL
            self.slots = 0
        elif self.slots:
            memset(self.values, 0xFF, self.slots * sizeof(int32_t))
        return 0

    cdef int32_t *slot(self, uint64_t key) except NULL:
        """The place of the value of `key`: -1 where it is new. Valid until the next call."""
        cdef Py_ssize_t at
        if 2 * (self.used + 1) > self.slots:
            self._widen()
        at = <Py_ssize_t>(key & <uint64_t>(self.slots - 1))
        while self.values[at] != -1 and self.keys[at] != key:
            at = (at + 1) & (self.slots - 1)
        if self.values[at] == -1:
            self.used += 1      # an unused place that the caller leaves empty only brings the next growth closer
            self.keys[at] = key
        return &self.values[at]

    cdef int32_t find(self, uint64_t key) noexcept:
        """The value of `key`, or -1."""
        cdef Py_ssize_t at
        if not self.slots:
            return -1
        at = <Py_ssize_t>(key & <uint64_t>(self.slots - 1))
        while self.values[at] != -1 and self.keys[at] != key:
            at = (at + 1) & (self.slots - 1)
        return self.values[at]

    cdef int _widen(self) except -1:
        cdef Py_ssize_t slots = self.slots * 2 if self.slots else 64, at, i
        cdef uint64_t *keys = <uint64_t *>malloc(slots * sizeof(uint64_t))
        cdef int32_t *values = <int32_t *>malloc(slots * sizeof(int32_t))
        if keys == NULL or values == NULL:
            free(keys)
            free(values)
            raise MemoryError
        memset(values, 0xFF, slots * sizeof(int32_t))
        self.used = 0
        for i in range(self.slots):
            if self.values[i] != -1:
                at = <Py_ssize_t>(self.keys[i] & <uint64_t>(slots - 1))
                while values[at] != -1:
                    at = (at + 1) & (slots - 1)
                keys[at] = self.keys[i]
                values[at] = self.values[i]
                self.used += 1
        free(self.keys)
        free(self.values)
        self.keys, self.values, self.slots = keys, values, slots
        return 0


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
    while at > 0 and s[at - 1] != 10:
        at -= 1
    return at


cdef inline Py_ssize_t line_end(const uint8_t *s, Py_ssize_t at, Py_ssize_t stop) noexcept:
    """The place of the first newline from `at` on, or `stop`."""
    cdef const uint8_t *found
    if at >= stop:
        return stop
    found = <const uint8_t *>memchr(s + at, 10, stop - at)
    return stop if found == NULL else found - s
