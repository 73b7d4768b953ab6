"""A transcript as the tree that it is: which of its records the conversation has left, because the user took a prompt
back and went on from before it.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable

from .person import is_caveat, is_prompt, queued, string

_TURNS = ("user", "assistant")
_HEAD = "last-prompt"  # the record that names where the conversation stands
_BEGINNING = "\0"  # stands for the record that the first prompt follows, if there is none
_CONTEXT = 4  # prompts: at least as many turns


class Branches:
    """The records of a transcript by the prompt that they follow. A branch is left only if it begins with a prompt,
    and the conversation went on with another one from the same record. Whatever follows nothing known is kept, and is
    read as if it followed what stands before it.

    Feed it every line, from the start of the file or, with the `leaf`, from a bit before `since`: the leaf is the last
    turn that was read before, and `since` the offset up to which. Then only a tree that is straight can be relied on.
    """

    def __init__(self, since: int = 0, leaf: str = "") -> None:
        self.since = since
        self.leaf = leaf
        self._leaf_start = -1
        self.end = 0  # the offset after the last line
        self.is_straight = True
        self._groups: dict[str, int] = {}  # a record's group: a prompt and what follows it, up to the next prompts
        self._above = array("q", [0])  # the group that a group follows; the first one is what precedes all prompts
        self._starts = array("q", [0])
        self._loose = array("b", [0])  # nothing known precedes the group
        self._siblings: dict[str, list[int]] = {}  # groups by the record that their prompts follow
        self._anchors: list[str] = [""]
        self._follows = self._is_torn = False  # whether a turn follows a known one, or nothing though it is no prompt
        self._copies: set[int] = set()  # where a line begins whose record stands further up as well
        self._passed: dict[str, str] = {}  # of a record that is no turn, the turn that it follows
        self._last = 0
        self._taken_back: set[int] = set()  # groups before whose prompts the user went back, whatever followed
        self._before: tuple[int, int, set[int]] | None = None  # the last group, their number and those at `since`
        self._left: list[bool] | None = None
        self._returned: set[int] = set()
        self._gone: set[int] = set()

    def feed(self, start: int, end: int, line: bytes) -> None:
        """Takes in one more line, which begins and ends at these offsets."""
        self._left = None
        if start >= self.since and self._before is None:
            self._reach_since()
        self.end = end
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            return
        if not isinstance(record, dict):
            return
        if record.get("type") == _HEAD:
            self._go_back(record, start)
        uuid = string(record.get("uuid"))
        if uuid in self._groups:
            self._copies.add(start)
            self.is_straight = self.is_straight and start < self.since
        elif uuid and not record.get("isSidechain"):
            self._groups[uuid] = self._group_of(record, uuid, start)

    def _group_of(self, record: dict[str, object], uuid: str, start: int) -> int:
        """Returns the group of a new record, which is another one if the record is a prompt."""
        parent = string(record.get("parentUuid")) or string(record.get("logicalParentUuid"))
        is_turn = _is_turn(record)
        if uuid == self.leaf:
            self._leaf_start = start
        if parent and (not is_turn or is_caveat(record)):
            self._passed[uuid] = self._passed.get(parent, parent)
        if not parent and is_prompt(record) and self._may_begin():
            self.is_straight = self.is_straight and start < self.since
            return self._open(0, start, _BEGINNING)
        group = self._followed(parent, start)
        if is_turn:
            self._follows = self._follows or parent in self._groups
            self._is_torn = self._is_torn or not parent
            self.is_straight = self.is_straight and (start < self.since or group == self._last)
        if is_prompt(record):
            group = self._open(group, start, self._passed.get(parent, parent) if self._is_known(parent) else "")
        return group

    def is_left(self, uuid: str) -> bool:
        """Tells whether the conversation has left a record."""
        group = self._groups.get(uuid)
        return group is not None and self._all_left()[group]

    def is_over(self, uuid: str, start: int) -> bool:
        """Tells of a record, which begins at an offset, whether the conversation has left it, or it is a copy of one
        that stands further up.
        """
        return start in self._copies or self.is_left(uuid)

    def left(self) -> list[str]:
        """Returns the records that the conversation has left."""
        left = self._all_left()
        return [record for record, group in self._groups.items() if left[group]]

    def holds(self, uuid: str) -> bool:
        """Tells whether the conversation has a record, and has not left it."""
        return uuid in self._groups and not self.is_left(uuid)

    def has_left(self) -> bool:
        """Tells whether any branch was left, or was left when it was read before."""
        return any(self._all_left()) or bool(self._returned)

    def gone(self) -> list[str]:
        """Returns the records that the conversation has left since they were read."""
        self._all_left()
        return [record for record, group in self._groups.items() if group in self._gone]

    def has_returned(self, uuid: str) -> bool:
        """Tells whether the conversation had left a record when it was read before, and has returned to it."""
        self._all_left()
        return self._groups.get(uuid, 0) in self._returned

    def reread_from(self, records: Iterable[str]) -> tuple[int, int] | None:
        """Returns where to read from in order to read these records again, and the branches to which the conversation
        has returned: the offset of a few prompts before, for context, and that of the first one; None for nothing.
        """
        self._all_left()
        groups = self._returned | {self._groups[one] for one in records if one in self._groups}
        first = min(groups, default=-1)
        return (self._starts[max(0, first - _CONTEXT)], self._starts[first]) if groups else None

    def is_tip(self, uuid: str, start: int) -> bool:
        """Tells whether the conversation went on from a record, which begins at an offset, and from no prompt before
        it.
        """
        group = self._groups.get(uuid)
        chain = self._chain(self._last)
        return group in chain and all(self._starts[later] > start for later in chain[: chain.index(group)])

    def _go_back(self, record: dict[str, object], start: int) -> None:
        """Takes in where the client says that the conversation stands, if the user went back there."""
        leaf = string(record.get("leafUuid"))
        leaf = self._passed.get(leaf, leaf)
        if record.get("explicit") is not True:
            return
        if start >= self.since:
            self.is_straight = False
        if leaf in self._groups:
            self._last = self._groups[leaf]
            self._taken_back.update(self._siblings.get(leaf, ()))

    def _is_known(self, parent: str) -> bool:
        return bool(parent) and (parent in self._groups or bool(self.leaf))

    def _may_begin(self) -> bool:
        """Tells whether a prompt that follows nothing begins the conversation: it is the first one, or the user took
        the first one back. Where other turns follow nothing either, it says nothing.
        """
        return not self._is_torn and not self.leaf and (self._follows or _BEGINNING not in self._siblings)

    def _followed(self, parent: str, start: int) -> int:
        """Returns the group of a record's parent."""
        group = self._groups.get(parent)
        if group is not None:
            return group
        if start >= self.since:
            self.is_straight = False  # it may follow what stands before the part that was looked at
        return 0 if parent and self.leaf else self._open(self._last, start, loose=True)

    def _open(self, above: int, start: int, anchor: str = "", loose: bool = False) -> int:
        self._last = len(self._above)
        self._above.append(above)
        self._starts.append(start)
        self._loose.append(loose)
        self._anchors.append(anchor)
        if anchor:
            self._siblings.setdefault(anchor, []).append(self._last)
        return self._last

    def _reach_since(self) -> None:
        self._before = (self._last, len(self._above), set(self._taken_back))
        if self.leaf:
            self.is_straight = self.is_tip(self.leaf, self._leaf_start)

    def _all_left(self) -> list[bool]:
        if self._left is None:
            self._left = self._left_at(self._last, len(self._above), self._taken_back)
            was = self._left_at(*self._before) if self._before and not self.leaf else []
            self._returned = {group for group, left in enumerate(was) if left and not self._left[group]}
            self._gone = {group for group, left in enumerate(was) if self._left[group] and not left}
        return self._left

    def _left_at(self, last: int, count: int, taken_back: set[int]) -> list[bool]:
        """Returns of each of the first groups whether it was left when `last` was the last one, and the user had gone
        back before some.
        """
        chain = set(self._chain(last))
        passed = {self._anchors[group] for group in chain} - {""}
        away = (taken_back | {group for anchor in passed for group in self._siblings[anchor]}) - chain
        left = [False] * count
        for group in range(1, count):
            left[group] = group in away or (not self._loose[group] and left[self._above[group]])
        return left

    def _chain(self, group: int) -> list[int]:
        """Returns a group and those that it follows, up to the first."""
        chain = [group]
        while group:
            group = self._above[group]
            chain.append(group)
        return chain


def _is_turn(record: dict[str, object]) -> bool:
    return record.get("type") in _TURNS or bool(queued(record))
