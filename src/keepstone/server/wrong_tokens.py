"""Who has shown wrong tokens, and how long the answer to the next one waits."""

from __future__ import annotations

FREE = 5  # wrong tokens in a row that are answered at once: who has mistyped one tries again
FIRST_SECONDS = 0.05  # that the next one waits; each further one waits twice as long
LONGEST_SECONDS = 2.0
FORGET_SECONDS = 300.0
ADDRESSES = 1_000  # that are remembered


class WrongTokens:
    """Counts wrong tokens in a row by address. Only answers to wrong tokens and the login wait, and each waits by
    itself: no address can keep another one waiting, nor one that shows the right token.
    """

    def __init__(self, addresses: int = ADDRESSES, longest: float = LONGEST_SECONDS) -> None:
        self.addresses = addresses
        self.longest = longest
        self.counts: dict[str, tuple[int, float]] = {}  # how many, and when the last one; the oldest is first

    def wait(self, address: str, now: float) -> float:
        """Returns how many seconds an answer to this address waits."""
        count, at = self.counts.get(address, (0, now))
        if count < FREE or now - at > FORGET_SECONDS:
            return 0.0
        return min(self.longest, FIRST_SECONDS * 2.0 ** min(count - FREE, 16))

    def wrong(self, address: str, now: float) -> None:
        """Counts a wrong token. The address whose last one is longest ago is forgotten if there are too many."""
        count, at = self.counts.pop(address, (0, now))
        self.counts[address] = (1 if now - at > FORGET_SECONDS else count + 1, now)
        if len(self.counts) > self.addresses:
            del self.counts[next(iter(self.counts))]

    def right(self, address: str) -> None:
        self.counts.pop(address, None)
