# Views of columns, and a hash table of 64-bit keys. Memory errors raise MemoryError, malformed columns ValueError.

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy

import os

cdef uint64_t SEED = int.from_bytes(os.urandom(8), "little")

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
    PyObject_GetBuffer(column, &found.held, PyBUF_WRITABLE if writable else PyBUF_SIMPLE)
    found.is_held = True
    if found.held.len and (found.held.len % <Py_ssize_t>size or <size_t>found.held.buf % min(size, 8 if size == 8 else 4)):
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


cdef class Numbers:
    """A growing list of 32-bit numbers."""

    cdef int32_t *at
    cdef Py_ssize_t count, room

    def __dealloc__(self):
        free(self.at)

    cdef int reserve(self, Py_ssize_t room) except -1:
        cdef int32_t *grown
        if room > self.room:
            room = max(room, self.room + self.room // 2, 64)
            if room > 0x7FFFFFFF:
                raise MemoryError("a list of numbers is too long")
            grown = <int32_t *>realloc(self.at, <size_t>room * sizeof(int32_t))
            if grown == NULL:
                raise MemoryError()
            self.at, self.room = grown, room
        return 0

    cdef int push(self, int32_t value) except -1:
        if self.count == self.room:
            self.reserve(self.count + 1)
        self.at[self.count] = value
        self.count += 1
        return 0

    cdef Py_ssize_t find(self, int32_t value) noexcept:
        """Position of the first number that is not below `value`; the numbers rise."""
        cdef Py_ssize_t low = 0, high = self.count, middle
        while low < high:
            middle = (low + high) // 2
            if self.at[middle] < value:
                low = middle + 1
            else:
                high = middle
        return low


cdef struct Slot:
    uint64_t key
    int32_t count  # 0: the slot is empty
    int32_t value


cdef class Table:
    """Counts and values by 64-bit key: open addressing with linear probing, filled to four fifths at most."""

    cdef Slot *slots
    cdef uint32_t room, used

    def __dealloc__(self):
        free(self.slots)

    cdef uint32_t home(self, uint64_t key) noexcept:
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
        if room > 0x7FFFFFFF or room > (<size_t>-1) // sizeof(Slot):
            raise MemoryError("a table has too many keys")
        grown = <Slot *>calloc(room, sizeof(Slot))
        if grown == NULL:
            raise MemoryError()
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
