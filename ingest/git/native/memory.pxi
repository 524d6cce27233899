# Memory of the compiled modules: columns that grow, views of the caller's columns, and a table of 64-bit keys.
#
# Every object frees its memory itself, also after an error. A failed allocation raises MemoryError, a malformed column
# of the caller ValueError. Oracles: `array.array`, `memoryview` and `dict` of Python.

import os

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, qsort, realloc
from libc.string cimport memcpy, memset

cdef enum:
    MAX_NUMBER = 0x7FFFFFFF
    NONE = -1               # no position

# Keeps contents that were made for it from falling on one place of a table.
cdef uint64_t SEED = int.from_bytes(os.urandom(8), "little")


cdef class Column:
    """A growing column in memory of its own. Cleared by setting `size` to 0."""
    cdef void *memory
    cdef Py_ssize_t size, room, item

    def __dealloc__(self):
        free(self.memory)

    cdef void *grown(self, Py_ssize_t more) except NULL:
        """The memory, with room for so many more items."""
        cdef Py_ssize_t room = self.size + self.size // 2 + more + 64
        cdef void *memory
        # The items of a column are counted with 32 bits.
        if not 0 <= more <= MAX_NUMBER - self.size:
            raise MemoryError("a column is too long")
        memory = realloc(self.memory, <size_t>(room * self.item))
        if memory == NULL:
            raise MemoryError
        self.memory, self.room = memory, room
        return memory

    cdef bytes result(self):
        return PyBytes_FromStringAndSize(<char *>self.memory, self.size * self.item)


@cython.final
cdef class Bytes(Column):
    cdef uint8_t *data

    def __cinit__(self):
        self.item = sizeof(uint8_t)

    cdef inline int add(self, uint8_t value) except -1:
        if self.size == self.room:
            self.data = <uint8_t *>self.grown(1)
        self.data[self.size] = value
        self.size += 1
        return 0

    cdef inline int extend(self, const uint8_t *s, Py_ssize_t n) except -1:
        if n > self.room - self.size:
            self.data = <uint8_t *>self.grown(n)
        if n:
            memcpy(self.data + self.size, s, n)
        self.size += n
        return 0

    cdef int fill(self, uint8_t value, Py_ssize_t n) except -1:
        if n > self.room - self.size:
            self.data = <uint8_t *>self.grown(n)
        if n:
            memset(self.data + self.size, value, n)
        self.size += n
        return 0


@cython.final
cdef class Ints(Column):
    cdef int32_t *data

    def __cinit__(self):
        self.item = sizeof(int32_t)

    cdef int reserve(self, Py_ssize_t room) except -1:
        """Make room for so many numbers in all."""
        if room > self.room:
            self.data = <int32_t *>self.grown(room - self.size)
        return 0

    cdef inline int add(self, int32_t value) except -1:
        if self.size == self.room:
            self.data = <int32_t *>self.grown(1)
        self.data[self.size] = value
        self.size += 1
        return 0

    cdef int fill(self, int32_t value, Py_ssize_t n) except -1:
        if n > self.room - self.size:
            self.data = <int32_t *>self.grown(n)
        while n > 0:
            self.add(value)
            n -= 1
        return 0

    cdef Py_ssize_t find(self, int32_t value) noexcept:
        """Position of the first number that is not below `value`; the numbers rise."""
        cdef Py_ssize_t low = 0, high = self.size, middle
        while low < high:
            middle = (low + high) // 2
            if self.data[middle] < value:
                low = middle + 1
            else:
                high = middle
        return low


cdef int order(const void *a, const void *b) noexcept nogil:
    cdef uint64_t x = (<const uint64_t *>a)[0], y = (<const uint64_t *>b)[0]
    return (x > y) - (x < y)


@cython.final
cdef class Hashes(Column):
    cdef uint64_t *data

    def __cinit__(self):
        self.item = sizeof(uint64_t)

    cdef inline int add(self, uint64_t value) except -1:
        if self.size == self.room:
            self.data = <uint64_t *>self.grown(1)
        self.data[self.size] = value
        self.size += 1
        return 0

    cdef int fill(self, uint64_t value, Py_ssize_t n) except -1:
        while n > 0:
            self.add(value)
            n -= 1
        return 0

    cdef void sort(self) noexcept:
        """Sort the hashes, and keep one of equal ones."""
        cdef Py_ssize_t i, kept = 1
        if self.size < 2:
            return
        qsort(self.data, self.size, sizeof(uint64_t), order)
        for i in range(1, self.size):
            if self.data[i] != self.data[kept - 1]:
                self.data[kept] = self.data[i]
                kept += 1
        self.size = kept


@cython.final
cdef class View:
    """A contiguous column of another object, held as long as this object lives."""
    cdef Py_buffer held
    cdef bint is_held
    cdef Py_ssize_t count

    def __dealloc__(self):
        if self.is_held:
            PyBuffer_Release(&self.held)

    cdef uint8_t *bytes(self) noexcept:
        return <uint8_t *>self.held.buf

    cdef int32_t *ints(self) noexcept:
        return <int32_t *>self.held.buf

    cdef uint64_t *hashes(self) noexcept:
        return <uint64_t *>self.held.buf


cdef View view(object column, size_t size, Py_ssize_t count=-1, bint writable=False):
    """A column of values of `size` bytes; `count` is the number that it must have."""
    cdef View found = View.__new__(View)
    cdef size_t alignment = size if size == 8 else min(size, <size_t>4)
    PyObject_GetBuffer(column, &found.held, PyBUF_WRITABLE if writable else PyBUF_SIMPLE)
    found.is_held = True
    if found.held.len and (found.held.len % <Py_ssize_t>size or <size_t>found.held.buf % alignment):
        raise ValueError("a column has a size or an address that does not fit its type")
    found.count = found.held.len // <Py_ssize_t>size
    if count >= 0 and found.count != count:
        raise ValueError(f"a column has {found.count} values instead of {count}")
    return found


cdef int check_starts(View starts, Py_ssize_t values) except -1:
    """Raise ValueError unless `starts` rises from 0 to the number of values."""
    cdef Py_ssize_t i
    if starts.count < 1 or starts.ints()[0] != 0 or starts.ints()[starts.count - 1] != values:
        raise ValueError("the starts of the files do not fit their lines")
    for i in range(1, starts.count):
        if starts.ints()[i] < starts.ints()[i - 1]:
            raise ValueError("the starts of the files do not rise")
    return 0


cdef int check_rows(View rows, Py_ssize_t stop) except -1:
    """Raise ValueError unless all rows lie in [0, stop)."""
    cdef Py_ssize_t i
    for i in range(rows.count):
        if not 0 <= rows.ints()[i] < stop:
            raise ValueError(f"row {rows.ints()[i]} lies outside the table of {stop}")
    return 0


cdef struct Slot:
    uint64_t key
    int32_t count  # 0: the slot is empty
    int32_t value


@cython.final
cdef class Table:
    """Counts and values by 64-bit key: open addressing with linear probing, filled to four fifths at most."""
    cdef Slot *slots
    cdef uint32_t room, used

    def __dealloc__(self):
        free(self.slots)

    cdef int clear(self, Py_ssize_t keys) except -1:
        """Forget all keys. A table that is too small for so many, or far too large, gets another size."""
        cdef Py_ssize_t room = keys + keys // 2 + 16
        if room > MAX_NUMBER:
            raise MemoryError("a table has too many keys")
        self.used = 0
        if room <= self.room <= 8 * room:
            memset(self.slots, 0, self.room * sizeof(Slot))
            return 0
        free(self.slots)
        self.room = 0
        self.slots = <Slot *>calloc(room, sizeof(Slot))
        if self.slots == NULL:
            raise MemoryError
        self.room = <uint32_t>room
        return 0

    cdef inline uint32_t home(self, uint64_t key) noexcept:
        # The finalizer of MurmurHash3 spreads keys that are alike; SEED keeps them from being chosen to collide.
        key ^= SEED
        key ^= key >> 33
        key *= <uint64_t>0xFF51AFD7ED558CCD
        key ^= key >> 33
        key *= <uint64_t>0xC4CEB9FE1A85EC53
        return <uint32_t>(((key >> 32) * self.room) >> 32)

    cdef uint32_t probe(self, uint64_t key) noexcept:
        """The slot of a key, or the empty one where it belongs. There is always an empty slot."""
        cdef uint32_t at = self.home(key)
        while self.slots[at].count and self.slots[at].key != key:
            at += 1
            if at == self.room:
                at = 0
        return at

    cdef Slot *find(self, uint64_t key) noexcept:
        """The slot of a key; NULL where the table does not have it."""
        cdef Slot *slot
        if not self.used:
            return NULL
        slot = &self.slots[self.probe(key)]
        return slot if slot.count else NULL

    cdef Slot *put(self, uint64_t key) except NULL:
        """The slot of a key. A new one has the count 0, which the caller must raise at once."""
        cdef Slot *slot
        if <uint64_t>self.used * 5 >= <uint64_t>self.room * 4:
            self.grow()
        slot = &self.slots[self.probe(key)]
        if not slot.count:
            slot.key = key
            self.used += 1
        return slot

    cdef int grow(self) except -1:
        cdef Slot *old = self.slots
        cdef uint32_t before = self.room, i
        cdef uint64_t room = max(<uint64_t>16, <uint64_t>before + before // 2)
        cdef Slot *grown
        if room > MAX_NUMBER or room > (<size_t>-1) // sizeof(Slot):
            raise MemoryError("a table has too many keys")
        grown = <Slot *>calloc(room, sizeof(Slot))
        if grown == NULL:
            raise MemoryError
        self.slots, self.room = grown, <uint32_t>room
        for i in range(before):
            if old[i].count:
                grown[self.probe(old[i].key)] = old[i]
        free(old)
        return 0

    cdef void drop(self, Slot *slot) noexcept:
        """Remove a key, and move the keys behind it that no look-up would reach across the gap."""
        cdef uint32_t gap = <uint32_t>(slot - self.slots), at = gap, home
        self.used -= 1
        while True:
            self.slots[gap].count = 0
            while True:
                at = at + 1 if at + 1 < self.room else 0
                if not self.slots[at].count:
                    return
                home = self.home(self.slots[at].key)
                # Its home lies cyclically in (gap, at]: it stays.
                if (gap < home <= at) if gap <= at else (gap < home or home <= at):
                    continue
                break
            self.slots[gap] = self.slots[at]
            gap = at
