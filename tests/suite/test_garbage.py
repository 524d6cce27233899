"""What the collection has made is no candidate for garbage, and what a test makes is."""

import gc
import weakref


class Node:
    def __init__(self) -> None:
        self.own = self


def test_modules_and_items_are_left_out() -> None:
    assert gc.get_freeze_count() > 10 * len(gc.get_objects(generation=0))


def test_a_circle_that_a_test_leaves_is_found() -> None:
    assert gc.isenabled()
    left = weakref.ref(Node())
    gc.collect()
    assert left() is None
