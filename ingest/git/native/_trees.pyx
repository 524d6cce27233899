# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, binding=False
"""The compiled twin of the tree parser: entries that differ between two trees, and the folders of a tree.

It takes only trees as Git writes them: entries in Git's order, modes without padding. For any other tree it answers
None, and Python reads it. Oracle: `objects.trees`.
"""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize, PyBytes_Size
from libc.string cimport memchr, memcmp

include "constants.pxi"


cdef struct Entry:
    const char *start
    Py_ssize_t mode, name, size  # lengths of the mode, of the name and of the whole entry


cdef struct Walk:
    const char *at
    const char *end
    Entry last  # of size 0 before the first entry


cdef bint is_folder(Entry *entry) noexcept:
    return entry.mode == 5 and memcmp(entry.start, b"40000", 5) == 0


cdef const char *name_of(Entry *entry) noexcept:
    return entry.start + entry.mode + 1


cdef int order(Entry *one, Entry *two) noexcept:
    """Git's order of entries: by name, as if the names of folders ended with a slash."""
    cdef Py_ssize_t shorter = min(one.name, two.name)
    cdef int found = memcmp(name_of(one), name_of(two), <size_t>shorter)
    if found:
        return found
    cdef unsigned char after_one = c"/" if is_folder(one) else 0, after_two = c"/" if is_folder(two) else 0
    if one.name > shorter:
        after_one = <unsigned char>name_of(one)[shorter]
    if two.name > shorter:
        after_two = <unsigned char>name_of(two)[shorter]
    if after_one != after_two:
        return after_one - after_two
    return (one.name > two.name) - (one.name < two.name)


cdef int parse(Walk *walk, Entry *entry) noexcept:
    """Read the entry at which a walk stands. 0 if it is not as Git writes it, or not behind the entry before."""
    cdef Py_ssize_t left = walk.end - walk.at, i = 0
    cdef const char *nul
    while i < left and c"0" <= walk.at[i] <= c"9":
        i += 1
    if not 0 < i < left or walk.at[0] == c"0" or walk.at[i] != c" ":
        return 0
    entry.start, entry.mode = walk.at, i
    nul = <const char *>memchr(walk.at + i + 1, 0, <size_t>(left - i - 1))
    if nul == NULL or nul == walk.at + i + 1 or walk.end - nul - 1 < ID_BYTES:
        return 0
    entry.name = nul - walk.at - i - 1
    entry.size = nul - walk.at + 1 + ID_BYTES
    return walk.last.size == 0 or order(&walk.last, entry) < 0


cdef void step(Walk *walk, Entry *entry) noexcept:
    walk.at += entry.size
    walk.last = entry[0]


cdef Walk start(bytes tree):
    cdef Walk walk
    walk.at = PyBytes_AsString(tree)
    walk.end = walk.at + PyBytes_Size(tree)
    walk.last.size = 0
    return walk


cdef bytes id_of(Entry *entry):
    return PyBytes_FromStringAndSize(entry.start + entry.size - ID_BYTES, ID_BYTES)


cdef int keep(dict found, Entry *entry) except -1:
    found[PyBytes_FromStringAndSize(name_of(entry), entry.name)] = (
        PyBytes_FromStringAndSize(entry.start, entry.mode), id_of(entry),
    )
    return 0


def difference(bytes old not None, bytes new not None):
    """Entries (mode, id) by name that only the old tree has, and those that only the new one has."""
    cdef Walk before = start(old), after = start(new)
    cdef Entry gone, come
    cdef int compared = 0  # below 0 only the old side was passed, above 0 only the new one
    removed, added = {}, {}
    while before.at < before.end or after.at < after.end:
        if compared <= 0 and before.at < before.end and not parse(&before, &gone):
            return None
        if compared >= 0 and after.at < after.end and not parse(&after, &come):
            return None
        if before.at == before.end:
            compared = 1
        elif after.at == after.end:
            compared = -1
        else:
            compared = order(&gone, &come)
        if compared == 0 and (gone.size != come.size or memcmp(gone.start, come.start, <size_t>gone.size) != 0):
            keep(removed, &gone)
            keep(added, &come)
        elif compared < 0:
            keep(removed, &gone)
        elif compared > 0:
            keep(added, &come)
        if compared <= 0:
            step(&before, &gone)
        if compared >= 0:
            step(&after, &come)
    return removed, added


def folders(bytes tree not None, bytes wanted not None):
    """Ids of the folders of a tree by name, and the entry with the name `wanted`, if it has one."""
    cdef Walk walk = start(tree)
    cdef Entry entry
    cdef const char *name = PyBytes_AsString(wanted)
    cdef Py_ssize_t length = PyBytes_Size(wanted)
    found, special = {}, None
    while walk.at < walk.end:
        if not parse(&walk, &entry):
            return None
        if is_folder(&entry):
            found[PyBytes_FromStringAndSize(name_of(&entry), entry.name)] = id_of(&entry)
        if entry.name == length and memcmp(name_of(&entry), name, <size_t>length) == 0:
            special = PyBytes_FromStringAndSize(entry.start, entry.mode), id_of(&entry)
        step(&walk, &entry)
    return found, special
