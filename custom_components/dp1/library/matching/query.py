"""How well something fits the words of a query."""

from .text_index import Words, fold, start_of

EXACT, START, WORDS, MIXED, ARTIST, ARTIST_WORDS, RELEVANT = 100, 80, 60, 45, 40, 30, 10


class Query(Words):
    """A query that scores what it may fit."""

    __slots__ = ()

    def score(self, title: str, artist: str | None = "", context: str = "") -> int:
        """Return how well something fits, 0 if it does not."""
        name = fold(title)
        if name == self.text or name == " ".join(self.words):
            return EXACT
        if name.startswith(self.text):
            return START
        if self._all_in(name):
            return WORDS
        maker = fold(artist or "")
        if maker and maker == self.text:
            return ARTIST
        if self._all_in(maker):
            return ARTIST_WORDS
        if any(_begins(word, name) for word in self.words):
            if self._all_in(f"{name} {maker} {fold(context)}"):
                return MIXED
        return 0

    def names(self, title: str) -> bool:
        """Return if a title is part of the query."""
        return f" {fold(title)} " in f" {self.text} "

    def _all_in(self, folded: str) -> bool:
        """Return if a folded text has all words."""
        return all(_is_in(word, folded) for word in self.words)


def _is_in(word: str, folded: str) -> bool:
    """Return if a folded text has a word that starts so."""
    return start_of(word) in f" {folded}"


def _begins(word: str, folded: str) -> bool:
    """Return if a folded text has a word, or one that starts with more than two of its letters."""
    if word.isascii() and len(word) < 3:
        return word in folded.split()
    return _is_in(word, folded)
