"""Dialogs of the flows behind `config_flow.py`: options, and what a library has of its own.

They may import the library, the screens and everything below them.
"""

from collections.abc import Mapping
from typing import Any

import voluptuous as vol

from homeassistant.data_entry_flow import FlowHandler, FlowResult


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
