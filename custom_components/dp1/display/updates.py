"""Updates of the listeners of a display, without those that another work does not concern."""

from typing import Final, override

from homeassistant.core import callback
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator

from .state import DisplayData

# Context of the listeners that show nothing of the current work.
NOT_THE_WORK: Final = "not the work"


class PartialUpdateCoordinator(DataUpdateCoordinator[DisplayData]):
    """Coordinator that updates only the listeners that a push concerns: most bring another work and nothing else."""

    @callback
    @override
    def async_update_listeners(self, only_work: bool = False) -> None:
        """Update the listeners, or only those that show the work."""
        for update, context in list(self._listeners.values()):
            if not only_work or context is not NOT_THE_WORK:
                update()
