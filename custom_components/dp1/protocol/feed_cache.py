"""What was read before, so that a feed that knows ETags need not send it again."""

from collections import OrderedDict

from .http import Answer

MAX_ANSWERS = 32
MAX_BYTES = 512 * 1024


class AnswerCache:
    """The last few answers that carried an ETag, by address; kept as bytes, so that no reader can change them."""

    def __init__(self) -> None:
        """Start empty."""
        self._answers: OrderedDict[str, Answer] = OrderedDict()

    def get(self, url: str) -> Answer | None:
        """Find what an address answered last."""
        return self._answers.get(url)

    def keep(self, url: str, answer: Answer) -> None:
        """Remember an answer if it can be asked for by its ETag and is not too large; else forget the address."""
        self._answers.pop(url, None)
        if "ETag" in answer.headers and len(answer.body) <= MAX_BYTES:
            self._answers[url] = answer
            if len(self._answers) > MAX_ANSWERS:
                self._answers.popitem(last=False)
