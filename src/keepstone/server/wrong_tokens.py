"""Who has shown wrong tokens, and how long the answer to the next one waits."""

from __future__ import annotations

FREE = 5  # wrong tokens in a row that are answered at once: who has mistyped one tries again
FIRST_SECONDS = 0.05  # that the next one waits; each further one waits twice as long
LONGEST_SECONDS = 2.0
QUEUE_SECONDS = 20.0  # that one waits at most for those before it: a login at an address that guesses is let in then
FORGET_SECONDS = 300.0
ADDRESSES = 1_000  # that are remembered


class WrongTokens:
    """Counts guesses in a row by address. Only answers to wrong tokens and the login wait, those of one address one
    after the other: no address can keep another one waiting, nor one that shows the right token.
    """

    def __init__(self, addresses: int = ADDRESSES, longest: float = LONGEST_SECONDS) -> None:
        self.addresses = addresses
        self.longest = longest
        # how many, when the last one, and until when the last answer waits; the oldest is first
        self.counts: dict[str, tuple[int, float, float]] = {}

    def guess(self, address: str, now: float) -> float:
        """Counts a guess, before it is judged: others may come beside it. Returns how many seconds its answer waits.
        The address whose last one is longest ago is forgotten if there are too many.
        """
        count, at, until = self.counts.pop(address, (0, now, now))
        if now - at > FORGET_SECONDS:
            count = 0
        if count >= FREE:
            wait = min(self.longest, FIRST_SECONDS * 2.0 ** min(count - FREE, 16))
            until = min(max(until, now) + wait, now + QUEUE_SECONDS)
        self.counts[address] = (count + 1, now, until)
        if len(self.counts) > self.addresses:
            del self.counts[next(iter(self.counts))]
        return max(0.0, until - now) if count >= FREE else 0.0

    def right(self, address: str) -> None:
        self.counts.pop(address, None)
