"""The class of every delivered line by plain loops over whole files: slow, and as the definitions say it.

What a line is on its own (its kind, logical line, tokens and shape) comes from `lexing` and `tokens`, which
have oracles of their own. Everything else is done here again: who claims what, in which order, and when.

Where the definitions leave a choice, it is this one:
- Lines are taken in path order, those of source folders first, those of output folders late and those of documents
  last; removed lines are claimed from the first on, returned ones from the last removal back.
- A line that a delivery takes out of one place and that is claimed as layout or moved was not removed.
- A block of lines is copied when it stands in the tree before, or begins earlier in the same delivery; code is no
  copy of a document.
- A line replaces the removed line of its hunks that differs from it in the fewest words and in nothing else; of
  equal ones the first, and each is replaced once.
- A substituted line continues a fresh line in which it replaces words: it keeps its credit, and adds nothing for its
  author.
- Lines that may weigh have the credit that their branch gives them (branch.py), others that of their birth.
- What belongs to a logical line (layout, shape blocks) holds for all its physical lines in the change.
"""

from collections.abc import Sequence

from ingest.git.lexing.languages import LANGUAGES, UNKNOWN, language_of
from ingest.git.lexing.line_features import BLANK, COMMENT
from tests.ingest.git.naive.blocks import spread_copied, standing_blocks, text_of, windows
from tests.ingest.git.naive.branch import Branch
from tests.ingest.git.naive.comparison import compare, count_own_tokens, features_of, lines_of
from tests.ingest.git.naive.history import Delivery, NaiveGit, Origin, Owners, Pair
from tests.ingest.git.naive.lines import (
    DAY,
    Added,
    Comparison,
    File,
    Judged,
    Line,
    Removed,
    can_return,
    is_fresh,
    is_same,
)
from tests.ingest.git.naive.rewordings import reworded

_SOURCES = {"src", "source", "sources"}
_OUTPUTS = {
    "build", "out", "output", "public", "static", "www", "dist", "release", "compiled", "bundle", "bundles",
    "assets", "site", "doc", "docs",
}  # fmt: skip


def _place(pair: Pair) -> tuple[int, str]:
    folders = set(pair.path.split("/")[:-1])
    if language_of(pair.path).is_prose:
        return 3, pair.path
    return (0 if folders & _SOURCES else 2 if folders & _OUTPUTS else 1), pair.path


WEIGHING = ("substituted", "comment", "novel")


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
            for pair in sorted(self.git.pairs(delivery.predecessor, delivery.sha), key=_place)
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
                compare(comparison)
        self._claim_moved(every_removed, every_added)
        self._claim_returned(files, every_added, delivery.time)
        self._claim_reworded(files)
        self._find_copied(files)
        self._find_substituted(every_added, delivery.time)
        _rank(every_added)
        for file in files:
            for comparison in file.comparisons:
                count_own_tokens(comparison, delivery.time)
        for mine in every_added:
            if mine.klass == "substituted" and mine.source is not None:
                mine.own_tokens, mine.replaced = 0, mine.source.birth if mine.tokens else None
        self._credit(files, delivery, owners_after)
        self._name_removers(every_removed, delivery)
        for line in every_added:
            _settle(line, delivery)
        self._mark_standing(files, after, delivery.time)
        _number(files)
        self.removals += [(delivery.time, line) for line in every_removed if can_return(line)]
        self.tree = after
        return Judged(delivery, files)

    # Reading

    def _read_file(self, pair: Pair, delivery: Delivery, owners: dict[str, list[Origin]]) -> File:
        before = self.tree[pair.old_path] if pair.old_path is not None else []
        origins = owners[pair.old_path] if pair.old_path is not None else []
        gone = [Removed(line, origin) for line, origin in zip(before, origins, strict=True)]
        texts = self.git.lines(pair.new_blob)
        if any(blob is not None and self.git.is_binary(blob) for blob in (pair.old_blob, pair.new_blob)):
            # Nothing can be compared: the old lines are gone, the new ones are never read.
            for line in gone:
                line.is_gone = True
            return File(pair, before, [Line(text) for text in texts], [gone] if gone else [])
        file = File(pair, before, [])
        position = 0
        language = LANGUAGES.get(self._language(pair), UNKNOWN)
        old_data, new_data = (self.git.data(b) if b else b"" for b in (pair.old_blob, pair.new_blob))
        blocks = self.git.blocks(pair.old_blob, pair.new_blob) if pair.old_blob != pair.new_blob else ()
        for block in blocks:
            comparison = Comparison(
                [], [], features_of(language, block.old, old_data), features_of(language, block.new, new_data)
            )
            fresh = [Added(line) for line in lines_of(block, comparison.added_features)]
            for position_in_block, new in enumerate(fresh):
                new.head = fresh[comparison.added_features.owner[position_in_block]]
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
                mine.klass, own = "layout", mine.line
                own.kind, own.is_head, own.words, own.shape, own.size = BLANK, False, 0, 0, 0
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
                if not theirs.is_claimed and is_same(theirs.line, mine.line):
                    theirs.is_claimed = True
                    mine.klass, mine.source = "moved", theirs.line
                    break

    def _claim_returned(self, files: list[File], added: list[Added], now: int) -> None:
        ever_removed = {theirs.line.words for _, theirs in self.removals}
        for mine in added:
            if not mine.is_open or mine.line.words not in ever_removed:
                continue
            for claim in reversed(self.removals):
                time, theirs = claim
                if time >= now - 90 * DAY and is_same(theirs.line, mine.line):
                    self.removals.remove(claim)
                    mine.klass, mine.source, mine.removal = "returned", theirs.line, theirs.remover
                    break
        for file in files:
            self._claim_returned_blocks(file, now)

    def _claim_returned_blocks(self, file: File, now: int) -> None:
        """Ten lines or more that stood together and left at once within a year, from the last line up."""
        run: list[tuple[Added, tuple[int, Removed]]] = []
        between = 0
        for mine in [*reversed(file.added), None]:
            if mine is not None and not mine.is_open:
                between += mine.line.kind != BLANK
                continue
            same = [claim for claim in reversed(self.removals) if mine and is_same(claim[1].line, mine.line)]
            found = None
            if run:
                time, below = run[-1][1]
                beside = range(below.place - 1 - between, below.place)
                found = next(
                    (claim for claim in same[:100] if claim[0] == time and claim[1].place in beside), None
                )
            if found is None:
                if len(run) >= 10:
                    for one, claim in run:
                        one.klass, one.source, one.removal = "returned", claim[1].line, claim[1].remover
                        self.removals.remove(claim)
                        same = [other for other in same if other is not claim]
                run = []
                found = same[0] if same and same[0][0] >= now - 3_650 * DAY else None
            if mine is not None and found is not None:
                run.append((mine, found))
            between = 0

    def _claim_reworded(self, files: list[File]) -> None:
        read = {file.pair.path: file for file in files if file.comparisons}
        found = dict(
            reworded(
                [
                    (p, f.pair.old_path, self._language(f.pair), f.removed_runs, f.added_runs)
                    for p, f in read.items()
                ]
            )
        )
        for path, file in read.items():
            for at, (source, theirs) in sorted(found[path].added.items() if path in found else ()):
                mine, origin = file.added[at], read[source].removed[theirs]
                if mine.is_open:
                    mine.klass, mine.source = "moved", None if origin.is_claimed else origin.line
                    origin.is_claimed = True
        for path, said in found.items():
            for at in said.kept:
                read[path].removed[at].is_claimed = True

    def _find_copied(self, files: list[File]) -> None:
        for by_shape in (False, True):
            standing = standing_blocks(self.tree, by_shape=by_shape)
            for file in files:
                for run in file.added_runs:
                    for block in windows(run, by_shape=by_shape):
                        text = text_of(block, by_shape=by_shape)
                        places = set(standing.get(text, ()))
                        if not language_of(file.pair.path).is_prose:
                            places = {path for path in places if not language_of(path).is_prose}
                        standing.setdefault(text, set()).add(file.pair.path)
                        for line in block if places else ():
                            if line.is_open or line.klass == "copied":
                                line.klass = "copied"
                                line.copied_from |= places
                    if by_shape:
                        spread_copied(run)

    def _find_substituted(self, added: list[Added], now: int) -> None:
        for mine in added:
            if not mine.is_open or not mine.words:
                continue
            numbers = []
            for pair in mine.words:
                self.instances.append((now, pair))
                numbers.append(sum(p == pair and time >= now - 14 * DAY for time, p in self.instances))
            theirs = mine.words_of
            assert theirs is not None
            if min(numbers) > 1:
                mine.klass, mine.rank = "substituted", min(*numbers, 10)
                if is_fresh(theirs.line, now) and not theirs.is_claimed:
                    theirs.is_claimed = theirs.is_continued = True
                    mine.source = theirs.line

    def _mark_standing(self, files: list[File], after: dict[str, list[Line]], now: int) -> None:
        standing = standing_blocks(after, by_shape=False)
        for file in files:
            for run in file.removed_runs:
                for block in windows(run, by_shape=False):
                    if text_of(block, by_shape=False) in standing:
                        for line in block:
                            line.is_standing = line.is_standing or not is_fresh(line.line, now)

    # Commits

    def _credit(self, files: list[File], delivery: Delivery, owners: dict[str, list[Origin]]) -> None:
        branch = Branch(self.git, self.owners, delivery, self.tool_made)
        for file in files:
            if file.pair.new_path is None:
                continue
            places = {id(line): at for at, line in enumerate(file.after)}
            for line in file.added:
                origin = owners[file.pair.new_path][places[id(line.line)]]
                line.birth = origin.birth
                holder = branch.credited(origin) if line.klass in WEIGHING else origin
                line.credited = holder.birth if holder.birth in delivery.brought else delivery.sha
                if line.klass == "returned":
                    assert line.source is not None
                    line.birth = line.source.birth
            if not file.comparisons and file.added_runs == [] and file.pair.old_blob != file.pair.new_blob:
                self._name_unread(file, delivery, owners)

    def _name_unread(self, file: File, delivery: Delivery, owners: dict[str, list[Origin]]) -> None:
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


def _number(files: list[File]) -> None:
    place = 0
    for run in (run for file in files for run in file.removed_runs if run):
        place += 1
        for line in run:
            place += line.line.kind != BLANK
            line.place = place


def _rank(added: list[Added]) -> None:
    shapes: list[int] = []
    for mine in added:
        if not mine.is_open:
            continue
        mine.klass = "comment" if mine.line.kind == COMMENT else "novel"
        if mine.klass == "comment" or mine.line.is_head:
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
