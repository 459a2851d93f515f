"""Dialogs of the flows: forms, and the progress of a first read."""

from abc import abstractmethod
import asyncio
from collections.abc import Mapping
from typing import Any, ClassVar, Final

import voluptuous as vol

from homeassistant.data_entry_flow import FlowHandler, FlowResult

# Seconds between two looks at how far a first read is, for its dialog.
PROGRESS_PAUSE: Final = 1.0


class Dialog[R: FlowResult[Any, Any]](FlowHandler[Any, R, Any]):
    """A dialog with forms."""

    def _show(
        self,
        step_id: str | None,
        schema: vol.Schema,
        values: Mapping[str, Any] | None,
        errors: dict[str, str] | None = None,
        placeholders: dict[str, str] | None = None,
    ) -> R:
        """Show a form filled with values."""
        return self.async_show_form(
            step_id=step_id,
            data_schema=self.add_suggested_values_to_schema(schema, values),
            errors=errors,
            description_placeholders=placeholders,
        )


class ReadingDialog[R: FlowResult[Any, Any]](Dialog[R]):
    """A dialog that shows how far a first read is; the reading does not end with it.

    Attributes:
        _end: the reason of its end after the whole list.
    """

    _end: ClassVar[str]
    _reading: asyncio.Task[None] | None = None

    @property
    @abstractmethod
    def _is_reading(self) -> bool:
        """Return whether the reading goes on."""

    @property
    @abstractmethod
    def _counts(self) -> dict[str, str]:
        """Return the placeholders of the texts: a name, and the count of records so far."""

    @property
    def _progress(self) -> float | None:
        """Return the progress from 0 to 1, None if there is no total."""
        return None

    async def async_step_reading(self, user_input: dict[str, Any] | None = None) -> R:
        """Show the progress."""
        if self._reading is None:
            # Nothing waits for a dialog, least of all the start of Home Assistant.
            self._reading = self.hass.async_create_background_task(
                self._async_follow(), "progress of a first read"
            )
        if not self._reading.done():
            return self.async_show_progress(
                step_id="reading",
                progress_action="reading",
                description_placeholders=self._counts,
                progress_task=self._reading,
            )
        return self.async_show_progress_done(next_step_id="read")

    async def _async_follow(self) -> None:
        """Tell how far the reading is until it ends."""
        while self._is_reading:
            if (progress := self._progress) is None:
                self.async_notify_flow_changed()
            else:
                self.async_update_progress(progress)
            await asyncio.sleep(PROGRESS_PAUSE)

    async def async_step_read(self, user_input: dict[str, Any] | None = None) -> R:
        """End after the whole list."""
        return self.async_abort(reason=self._end, description_placeholders=self._counts)
