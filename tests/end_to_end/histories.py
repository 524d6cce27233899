"""A small history with most features of real ones."""

import random

from tests.git_repository import ADA, GRACE, GitRepository

WEEK = 7 * 24 * 3600
MODULE = "".join(
    f"def area_{name}(length, width_{name}):\n    total_{name} = length * width_{name} + offset('{name}')\n"
    f"    return round(total_{name}, digits[{name!r}])\n\n\n"
    for name in ("hall", "attic", "porch", "cellar", "garage", "shed")
)
TEST = "from house import area_hall\n\n\ndef test_hall():\n    assert area_hall(2, 3) == 6\n"
SPAN = "feat: widest span of a beam"
SPAN_CODE = """pub fn widest_span(beams: &[Beam], load: f64) -> Option<f64> {
    let strong = beams.iter().filter(|beam| beam.carries(load));
    strong.map(|beam| beam.length - 2.0 * beam.bearing).reduce(f64::max)
}
"""
SPAN_TESTS = """#[cfg(test)]
mod tests {
    use super::{widest_span, Beam};

    #[test]
    fn weak_beams_do_not_span() {
        let weak = Beam::of_pine(3.0, 0.1);
        assert_eq!(widest_span(&[weak], 900.0), None);
    }
}
"""
# An address of example.org belongs to nobody: it is no address of a member.
LIN = "Lin Lee <lin@houses.dev>"
ASSISTED = "Add shed\n\nTwo corners were missing.\n\nCo-Authored-By: Claude <noreply@anthropic.com>\n"
# What commits of the library say about issues: two of them, one and a name of another kind, one that is none.
ISSUES = ("For WALL-1 and WALL-3.", "Refs: WALL-2, in UTF-8", "For WALL-77.")


def varied(repository: GitRepository) -> GitRepository:
    """Merges (octopus, criss-cross), renames, people, tags, odd bytes, tests, documentation, a revert, a deletion."""
    r = repository
    r.commit({"src/house.py": MODULE, "README.md": "# House\n\nMeasures houses.\n"}, "Initial import")
    r.tag("v0.1", message="first")
    r.branch("roof")
    r.commit(
        {"src/roof.py": MODULE.replace("area", "slope")}, "feat: slopes of roofs", branch="roof", author=GRACE
    )
    r.commit({"tests/test_house.py": TEST})
    r.merge("roof", message="Merge branch 'roof'")
    r.clock += WEEK
    r.rename({"src/house.py": "src/building.py"}, "Rename house to building")
    r.commit(
        {"src/building.py": MODULE.replace("round(", "ceil(")}, "fix: area was rounded down", author=GRACE
    )
    for name in ("doors", "windows", "stairs"):
        r.branch(name)
        r.commit(
            {f"src/{name}.py": MODULE.replace("area", name)},
            f"Add {name}",
            branch=name,
            author=f"{name} <{name}@example.org>",
        )
    r.merge("doors", "windows", "stairs")
    r.clock += WEEK
    r.branch("left")
    r.branch("right")
    r.commit({"src/left.py": "left = wall(4) + beam(2)\n"}, "Left", branch="left")
    r.commit({"src/right.py": "right = wall(7) + beam(1)\n"}, "Right", branch="right", author=GRACE)
    left, right = r.heads["left"], r.heads["right"]
    r.merge(right, into="left")
    r.merge(left, into="right")
    r.merge("left")
    r.merge("right")
    r.commit({"src/shed.py": "shed = corner(1) + corner(2)\n"}, ASSISTED)
    r.commit({"src/shed.py": None}, 'Revert "Add shed"', author=GRACE)
    odd: dict[str | bytes, str | bytes] = {
        b"caf\xe9.txt": b"cr\xe8me br\xfbl\xe9e\n",
        "crlf.txt": "one\r\ntwo\r\n",
        "blob.bin": b"\x00\x01\x02",
    }
    r.commit(odd, b"Men\xfc f\xfcr die K\xfcche", author=b"Jos\xe9 <jose@example.org>")
    r.commit({"=cmd.md": "text\n"}, '=HYPERLINK("x") \x1b[31mred', author="=SUM(A1) <formula@example.org>")
    r.clock += WEEK
    r.commit(
        {"src/late.py": "late = 1 + offset('late')\n"},
        "Not delivered yet",
        branch="open-work",
        parents=[r.heads["main"]],
    )
    r.tag("v0.2")
    return r


def imported(repository: GitRepository) -> GitRepository:
    """A library of others: a root commit of more files than own work begins with, and work on it."""
    dice = random.Random(7)
    parts = ("beam(2)", "wall[3]", "oak.pine()", "-offset", "span * 4", "'fir'", "{roof}", "door or lock")
    files = {
        f"lib/part{n}.py": MODULE.replace("area", f"part_{n}")
        + "".join(f"p{k} = {', '.join(dice.choices(parts, k=dice.randrange(2, 9)))}\n" for k in range(45))
        for n in range(60)
    }
    repository.commit(files, "Vendor the library", author=LIN)
    repository.commit(
        {"lib/part1.py": MODULE.replace("area", "mended")}, "fix: part 1 of WALL-3", author=GRACE
    )
    for number in range(3):
        more = "".join(
            f" + wall[{n}] * beam.{name}()" for n, name in enumerate(("oak", "pine", "fir")[: number + 1])
        )
        code = f"def carry_{number}(wall, beam):\n    load = weigh(beam, {number}){more}\n    return load.sum()\n"
        message = f"feat: carry {number}\n\n{ISSUES[number]}\n"
        repository.commit({f"lib/carry{number}.py": code}, message, author=LIN)
    repository.commit({"lib/span.rs": f"{SPAN_CODE}\n{SPAN_TESTS}"}, SPAN, author=LIN)
    # A name in another order joins nobody: it is suggested.
    repository.commit({"lib/prop.py": "prop = beam(1)\n"}, "Add a prop", author="Lee, Lin <lin@home.dev>")
    return repository


def authors() -> tuple[str, str]:
    """The two authors with most commits."""
    return ADA, GRACE
