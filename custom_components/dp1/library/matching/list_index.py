"""Index of a list that is replaced now and then."""

from collections.abc import Callable, Sequence

from homeassistant.core import HomeAssistant

from ..threads import with_pauses
from .text_index import TextIndex


class ListIndex[T]:
    """The index of a list, built again in a thread when there is another list."""

    def __init__(self, hass: HomeAssistant, text_of: Callable[[T], str]) -> None:
        """Initialize the index of nothing."""
        self._hass = hass
        self._text_of = text_of
        self._index: TextIndex[T] = TextIndex((), ())

    async def async_of(self, records: Sequence[T]) -> TextIndex[T]:
        """Return the index of a list; lists are never changed but replaced."""
        if self._index.records is not records:
            self._index = await self._hass.async_add_executor_job(
                lambda: TextIndex(records, map(self._text_of, with_pauses(records)))
            )
        return self._index
