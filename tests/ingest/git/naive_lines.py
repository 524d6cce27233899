"""The class of every delivered line by plain loops over whole files: slow, and as the definitions say it.

What a line is on its own (its kind, logical line, tokens and shape) comes from `lexing` and `tokens`, which
have oracles of their own. Everything else is done here again: who claims what, in which order, and when.

Where the definitions leave a choice, it is this one:
- Lines are taken in path order, removed lines are claimed from the first on, returned ones from the last
  removal back.
- A line that a delivery takes out of one place and that is claimed as layout or moved was not removed.
- A block of lines is copied when it stands in the tree before, or begins earlier in the same delivery.
- A line replaces the removed line of its hunks that differs from it in the fewest words and in nothing else; of
  equal ones the first, and each is replaced once.
- What belongs to a logical line (layout, shape blocks) holds for all its physical lines in the change.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ingest.git.lexing.comments import open_comment
from ingest.git.lexing.languages import LANGUAGES, UNKNOWN, language_of
from ingest.git.lexing.line_features import BLANK, CODE, COMMENT, Features, features
from ingest.git.lexing.tokens import layout_hash, tokens_of, words_substituted
from tests.ingest.git.naive_history import Block, Delivery, NaiveGit, Origin, Owners, Pair, Side

DAY = 86_400
_NEAR = 8
"""Maximum of removed lines of the same structure to search for the one with the fewest replaced words."""


@dataclass(eq=False)
class Line:
    """One physical line on the mainline.

    The facts below `size` are charged at its removal: those of the line itself, or of the line that it continues.
    """

    text: bytes
    kind: int = BLANK
    is_head: bool = False
    words: int = 0
    """Equal for lines with the same text, apart from white space and comments at their end."""
    shape: int = 0
    size: int = 0
    klass: str = "unread"
    tokens: int = 0
    own_tokens: int = 0
    rank: int = 1
    birth: str = ""
    delivery: str = ""
    time: int = 0

    @property
    def is_code(self) -> bool:
        return self.kind == CODE


@dataclass(eq=False)
class Added:
    """An added line and its facts."""

    line: Line
    head: "Added | None" = None
    """First physical line of its logical line."""
    klass: str = "open"
    original: str = ""
    """Class at first delivery."""
    tokens: int = 0
    own_tokens: int = 0
    rank: int = 1
    source: Line | None = None
    """The line that it continues."""
    removal: str | None = None
    replaced: str | None = None
    copied_from: set[str] = field(default_factory=set)
    """Every path that contains its blocks."""
    words: tuple[int, ...] = ()
    """Word pairs that it replaces."""
    credited: str = ""
    birth: str = ""

    @property
    def is_open(self) -> bool:
        return self.klass == "open"


@dataclass(eq=False)
class Removed:
    """A removed line and its fate."""

    line: Line
    origin: Origin
    remover: str = ""
    is_claimed: bool = False
    """A layout line or a moved line continues it."""
    is_standing: bool = False
    is_replaced: bool = False
    is_gone: bool = False


@dataclass(eq=False)
class _Comparison:
    """The two sides of one block as they meet: positions are those among the changed lines."""

    removed: list[Removed]
    added: list[Added]
    removed_features: Features
    added_features: Features


@dataclass
class _File:
    pair: Pair
    before: list[Line]
    after: list[Line]
    removed_runs: list[list[Removed]] = field(default_factory=list)
    """One run per hunk."""
    added_runs: list[list[Added]] = field(default_factory=list)
    comparisons: list[_Comparison] = field(default_factory=list)

    @property
    def removed(self) -> list[Removed]:
        return [line for run in self.removed_runs for line in run]

    @property
    def added(self) -> list[Added]:
        return [line for run in self.added_runs for line in run]


@dataclass
class Judged:
    """Everything that one delivery added and removed."""

    delivery: Delivery
    files: list[_File]


class NaiveLines:
    """Judges deliveries in mainline order."""

    def __init__(
        self, git: NaiveGit, deliveries: Sequence[Delivery], tool_made: set[tuple[str, str]]
    ) -> None:
        self.git = git
        self.tool_made = tool_made
        """Delivery and path of files that a tool wrote: their lines are skipped (tested elsewhere)."""
        self.deliveries = deliveries
        self.owners = Owners(git, {d.sha: d.predecessor for d in deliveries})
        self.tree: dict[str, list[Line]] = {}
        self.removals: list[tuple[int, Removed]] = []
        """Time and line of every unclaimed removal from the mainline."""
        self.instances: list[tuple[int, int]] = []
        """Time and word pair of every replacement."""

    def judge_all(self) -> list[Judged]:
        return [self.judge(delivery) for delivery in self.deliveries]

    def judge(self, delivery: Delivery) -> Judged:
        owners_before = self.owners.at(delivery.predecessor) if delivery.predecessor else {}
        owners_after = self.owners.at(delivery.sha)
        files = [
            self._read_file(pair, delivery, owners_before)
            for pair in self.git.pairs(delivery.predecessor, delivery.sha)
        ]
        after = dict(self.tree)
        for file in files:
            if file.pair.old_path is not None and file.pair.old_path != file.pair.new_path:
                after.pop(file.pair.old_path)
        for file in files:
            if file.pair.new_path is not None:
                after[file.pair.new_path] = file.after
        self._check_texts(delivery, after)
        every_removed = [line for file in files for line in file.removed]
        every_added = [line for file in files for line in file.added]
        for file in files:
            for comparison in file.comparisons:
                _compare(comparison)
        self._claim_moved(every_removed, every_added)
        self._claim_returned(every_added, delivery.time)
        self._find_copied(files)
        self._find_substituted(every_added, delivery.time)
        _rank(every_added)
        for file in files:
            for comparison in file.comparisons:
                _count_own_tokens(comparison, delivery.time)
        self._credit(files, delivery, owners_after)
        self._name_removers(every_removed, delivery)
        for line in every_added:
            _settle(line, delivery)
        self._mark_standing(files, after, delivery.time)
        self.removals += [(delivery.time, line) for line in every_removed if _can_return(line)]
        self.tree = after
        return Judged(delivery, files)

    # Reading

    def _read_file(self, pair: Pair, delivery: Delivery, owners: dict[str, list[Origin]]) -> _File:
        before = self.tree[pair.old_path] if pair.old_path is not None else []
        origins = owners[pair.old_path] if pair.old_path is not None else []
        gone = [Removed(line, origin) for line, origin in zip(before, origins, strict=True)]
        texts = self.git.lines(pair.new_blob)
        if any(blob is not None and self.git.is_binary(blob) for blob in (pair.old_blob, pair.new_blob)):
            # Nothing can be compared: the old lines are gone, the new ones are never read.
            for line in gone:
                line.is_gone = True
            return _File(pair, before, [Line(text) for text in texts], [gone] if gone else [])
        file = _File(pair, before, [])
        position = 0
        language = LANGUAGES.get(self._language(pair), UNKNOWN)
        old_data, new_data = (self.git.data(b) if b else b"" for b in (pair.old_blob, pair.new_blob))
        blocks = self.git.blocks(pair.old_blob, pair.new_blob) if pair.old_blob != pair.new_blob else ()
        for block in blocks:
            comparison = _Comparison(
                [], [], _features(language, block.old, old_data), _features(language, block.new, new_data)
            )
            fresh = [Added(line) for line in _lines(block, comparison.added_features)]
            for position_in_block, line in enumerate(fresh):
                line.head = fresh[comparison.added_features.owner[position_in_block]]
            for start, removed, _, added in block.hunks:
                file.after += before[position:start]
                taken = fresh[len(comparison.added) : len(comparison.added) + added]
                file.after += [line.line for line in taken]
                file.added_runs.append(taken)
                file.removed_runs.append(gone[start : start + removed])
                comparison.added += taken
                comparison.removed += gone[start : start + removed]
                position = start + removed
            file.comparisons.append(comparison)
        file.after += before[position:]
        if {(delivery.sha, pair.path), (delivery.sha, pair.old_path)} & self.tool_made:
            for mine in file.added:
                mine.klass, line = "layout", mine.line
                line.kind, line.is_head, line.words, line.shape, line.size = BLANK, False, 0, 0, 0
            file.comparisons = []
        return file

    def _language(self, pair: Pair) -> str:
        blob = pair.new_blob or pair.old_blob
        assert blob is not None
        return language_of(pair.path, self.git.data(blob)[:4096].partition(b"\n")[0]).name

    def _check_texts(self, delivery: Delivery, after: dict[str, list[Line]]) -> None:
        """Check that the tree of the loops equals Git's."""
        tree = self.git.tree(delivery.sha)
        assert after.keys() == tree.keys()
        for path, blob in tree.items():
            assert [line.text for line in after[path]] == self.git.lines(blob), (delivery.sha, path)

    # Rules

    def _claim_moved(self, removed: list[Removed], added: list[Added]) -> None:
        ever_removed = {theirs.line.words for theirs in removed}
        for mine in added:
            if not mine.is_open or mine.line.words not in ever_removed:
                continue
            for theirs in removed:
                if not theirs.is_claimed and _is_same(theirs.line, mine.line):
                    theirs.is_claimed = True
                    mine.klass, mine.source = "moved", theirs.line
                    break

    def _claim_returned(self, added: list[Added], now: int) -> None:
        ever_removed = {theirs.line.words for _, theirs in self.removals}
        for mine in added:
            if not mine.is_open or mine.line.words not in ever_removed:
                continue
            for claim in reversed(self.removals):
                time, theirs = claim
                if time >= now - 90 * DAY and _is_same(theirs.line, mine.line):
                    self.removals.remove(claim)
                    mine.klass, mine.source, mine.removal = "returned", theirs.line, theirs.remover
                    break

    def _find_copied(self, files: list[_File]) -> None:
        for by_shape in (False, True):
            standing = _standing_blocks(self.tree, by_shape=by_shape)
            for file in files:
                for run in file.added_runs:
                    for block in _windows(run, by_shape=by_shape):
                        text = _text_of(block, by_shape=by_shape)
                        places = set(standing.get(text, ()))
                        standing.setdefault(text, set()).add(file.pair.path)
                        for line in block if places else ():
                            if line.is_open or line.klass == "copied":
                                line.klass = "copied"
                                line.copied_from |= places
                    if by_shape:
                        _spread_copied(run)

    def _find_substituted(self, added: list[Added], now: int) -> None:
        for mine in added:
            if not mine.is_open or not mine.words:
                continue
            numbers = []
            for pair in mine.words:
                self.instances.append((now, pair))
                numbers.append(sum(p == pair and time >= now - 14 * DAY for time, p in self.instances))
            if min(numbers) > 1:
                mine.klass, mine.rank = "substituted", min(*numbers, 10)

    def _mark_standing(self, files: list[_File], after: dict[str, list[Line]], now: int) -> None:
        standing = _standing_blocks(after, by_shape=False)
        for file in files:
            for run in file.removed_runs:
                for block in _windows(run, by_shape=False):
                    if _text_of(block, by_shape=False) in standing:
                        for line in block:
                            line.is_standing = line.is_standing or not _is_fresh(line.line, now)

    # Commits

    def _credit(self, files: list[_File], delivery: Delivery, owners: dict[str, list[Origin]]) -> None:
        for file in files:
            if file.pair.new_path is None:
                continue
            places = {id(line): at for at, line in enumerate(file.after)}
            for line in file.added:
                origin = owners[file.pair.new_path][places[id(line.line)]]
                line.birth = origin.birth
                line.credited = origin.birth if origin.birth in delivery.brought else delivery.sha
                if line.klass == "returned":
                    assert line.source is not None
                    line.birth = line.source.birth
            if not file.comparisons and file.added_runs == [] and file.pair.old_blob != file.pair.new_blob:
                self._name_unread(file, delivery, owners)

    def _name_unread(self, file: _File, delivery: Delivery, owners: dict[str, list[Origin]]) -> None:
        """Unread lines are charged to the commit that wrote them according to Git."""
        assert file.pair.new_path is not None
        for line, origin in zip(file.after, owners[file.pair.new_path], strict=True):
            line.birth, line.delivery = origin.birth, delivery.sha

    def _name_removers(self, removed: list[Removed], delivery: Delivery) -> None:
        for line in removed:
            line.remover = delivery.sha
            for sha in delivery.commits:
                if any(line.origin is gone for gone in self.owners.removed.get(sha, ())):
                    line.remover = sha
                    break


def _features(language: Any, side: Side, data: bytes) -> Features:
    starts = [0]
    for line in data.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    inside = open_comment(language, data, starts[side.start]) if side.changed and side.start else None
    return features(language, side.lines, side.changed, inside)


def _lines(block: Block, found: Features) -> Iterator[Line]:
    for at, position in enumerate(block.new.changed):
        kind = found.kind[at]
        is_head = kind == CODE and found.owner[at] == at
        size = min(found.token_count[at], 255)
        yield Line(block.new.lines[position], kind, is_head, found.line_hash[at], found.shape_hash[at], size)


def _compare(comparison: _Comparison) -> None:
    """Layout, new tokens, gone tokens, and the removed line that each added line replaces word for word."""
    removed, added = comparison.removed_features, comparison.added_features
    claims = _layout_claims(removed, added)
    for mine, line in enumerate(comparison.added):
        head = added.owner[mine]
        if line.line.kind == BLANK or head in claims:
            line.klass = "layout"
        if mine in claims:
            line.source = comparison.removed[claims[mine]].line
    for theirs, gone in enumerate(comparison.removed):
        gone.is_claimed = removed.owner[theirs] in claims.values()
        gone.is_replaced = bool(comparison.added)
    stock = _stock(removed, set(claims.values()))
    for mine, line in enumerate(comparison.added):
        # If nothing was removed, the lines are an insertion without layout; the same holds for a deletion.
        text = (added.bare if comparison.removed else added.text)[mine]
        line.tokens = line.own_tokens = 0 if mine in claims else _spend(stock, text)
    for theirs in _lines_with_tokens_gone(removed, added, claims):
        comparison.removed[theirs].is_gone = True
    _pair_words(comparison)


def _layout_claims(removed: Features, added: Features) -> dict[int, int]:
    """Added logical lines that equal a removed one except for layout. Each removed one is claimed once, in order.

    Lines that are equal without white space come first, then lines that are equal only without wrapping brackets and
    similar layout.
    """
    claims: dict[int, int] = {}
    free = [at for at in range(len(removed)) if removed.owner[at] == at and removed.kind[at] != BLANK]
    for fact in ("layout_hash", "bare"):
        for mine in range(len(added)):
            if added.owner[mine] == mine and added.kind[mine] != BLANK and mine not in claims:
                same = [t for t in free if _layout(removed, fact, t) == _layout(added, fact, mine)]
                if same:
                    claims[mine] = same[0]
                    free.remove(same[0])
    return claims


def _layout(side: Features, fact: str, at: int) -> int:
    return layout_hash(side.bare[at]) if fact == "bare" else side.layout_hash[at]


def _lines_with_tokens_gone(removed: Features, added: Features, claims: dict[int, int]) -> set[int]:
    """For each token that the bare removed lines have more often than the added ones, the last lines that have it."""
    given = Counter(t for mine, text in enumerate(added.text) if mine not in claims for t in tokens_of(text))
    lines: dict[bytes, list[int]] = {}
    for theirs, text in enumerate(removed.bare if added else removed.text):
        if theirs not in claims.values():
            for token in tokens_of(text):
                lines.setdefault(token, []).append(theirs)
    return {theirs for token, places in lines.items() for theirs in places[given[token] :]}


def _stock(removed: Features, left_out: set[int]) -> Counter[bytes]:
    kept = [text for theirs, text in enumerate(removed.text) if theirs not in left_out]
    return Counter(token for text in kept for token in tokens_of(text))


def _spend(stock: Counter[bytes], text: bytes) -> int:
    """Tokens of `text` that the stock lacks; the others are taken from it."""
    new = 0
    for token in tokens_of(text):
        if stock[token]:
            stock[token] -= 1
        else:
            new += 1
    return min(new, 31)


def _pair_words(comparison: _Comparison) -> None:
    free = [line for line in comparison.removed if not line.is_claimed and line.line.text.strip()]
    for mine in comparison.added:
        if mine.klass == "layout":
            continue
        near = [t for t in free if _between_words(t.line.text) == _between_words(mine.line.text)][:_NEAR]
        best: Removed | None = None
        for theirs in near:
            words = words_substituted(theirs.line.text, mine.line.text)
            if words and (best is None or len(words) < len(mine.words)):
                best, mine.words = theirs, words
        if best is not None:
            free.remove(best)


def _between_words(text: bytes) -> bytes:
    """The text of a line without its words."""
    return bytes(c for c in text.strip() if not (c >= 0x80 or c == 0x5F or bytes([c]).isalnum()))


def _count_own_tokens(comparison: _Comparison, now: int) -> None:
    """New tokens as if the removed lines of the last 14 days had never existed."""
    fresh = {at for at, gone in enumerate(comparison.removed) if _is_fresh(gone.line, now)}
    if not fresh or not comparison.added:
        return
    claims = _layout_claims(comparison.removed_features, comparison.added_features)
    claims = {mine: theirs for mine, theirs in claims.items() if theirs not in fresh}
    stock = _stock(comparison.removed_features, fresh | set(claims.values()))
    births = Counter(comparison.removed[at].line.birth for at in fresh)
    most = min(births, key=lambda sha: (-births[sha], sha))
    for mine, line in enumerate(comparison.added):
        side = comparison.added_features
        text = (side.text if len(fresh) == len(comparison.removed) else side.bare)[mine]
        own = 0 if mine in claims else _spend(stock, text)
        if own != line.tokens:
            line.own_tokens, line.replaced = own, most


def _is_fresh(line: Line, now: int) -> bool:
    return line.klass != "unread" and line.time >= now - 14 * DAY


def _is_same(one: Line, other: Line) -> bool:
    return one.kind != BLANK and other.kind != BLANK and one.words == other.words


def _windows(lines: Sequence[Any], *, by_shape: bool) -> list[Sequence[Any]]:
    """Every six neighbouring lines of code; by shape every eight logical lines that have forty tokens."""
    size, least = (8, 40) if by_shape else (6, 0)
    members = [line for line in lines if _fact(line).kind == CODE and (_fact(line).is_head or not by_shape)]
    windows = [members[start : start + size] for start in range(len(members) - size + 1)]
    return [window for window in windows if sum(_fact(line).size for line in window) >= least]


def _fact(line: Any) -> Line:
    fact: Line = line if isinstance(line, Line) else line.line
    return fact


def _text_of(block: Sequence[Any], *, by_shape: bool) -> tuple[int, ...]:
    """The key under which two blocks are the same."""
    return tuple(_fact(line).shape if by_shape else _fact(line).words for line in block)


def _standing_blocks(tree: dict[str, list[Line]], *, by_shape: bool) -> dict[tuple[int, ...], set[str]]:
    """Every block of every file of the tree, with the paths that it stands in."""
    standing: dict[tuple[int, ...], set[str]] = {}
    for path, lines in tree.items():
        for block in _windows(lines, by_shape=by_shape):
            standing.setdefault(_text_of(block, by_shape=by_shape), set()).add(path)
    return standing


def _spread_copied(run: list[Added]) -> None:
    """The continuation lines of a copied logical line are copied too."""
    for line in run:
        if line.head is not None and line.head.klass == "copied" and line.is_open and line.line.kind == CODE:
            line.klass = "copied"
            line.copied_from |= line.head.copied_from


def _rank(added: list[Added]) -> None:
    shapes: list[int] = []
    for mine in added:
        if not mine.is_open:
            continue
        if mine.line.kind == COMMENT:
            mine.klass = "comment"
            continue
        mine.klass = "novel"
        if mine.line.is_head:
            mine.rank = min(1 + shapes.count(mine.line.shape), 10)
            shapes.append(mine.line.shape)


def _settle(mine: Added, delivery: Delivery) -> None:
    """A line that lives on keeps its weight and the commit that it is charged to."""
    line, source = mine.line, mine.source
    mine.original = mine.klass
    if source is not None and source.klass != "unread":
        if mine.klass == "returned":
            mine.original, mine.tokens, mine.own_tokens = source.klass, source.tokens, source.own_tokens
            mine.rank = source.rank
        line.klass, line.tokens, line.own_tokens, line.rank = (
            source.klass, source.tokens, source.own_tokens, source.rank,
        )  # fmt: skip
        line.birth, line.delivery, line.time = source.birth, source.delivery, source.time
    else:
        line.klass, line.tokens, line.own_tokens, line.rank = (
            mine.klass,
            mine.tokens,
            mine.own_tokens,
            mine.rank,
        )
        line.birth, line.delivery, line.time = mine.credited, delivery.sha, delivery.time


def _can_return(line: Removed) -> bool:
    return line.line.kind != BLANK and not line.is_claimed
