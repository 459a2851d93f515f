"""Files of works that are kept at home: lent to a display once no host has a work any more."""

from collections.abc import Iterable

from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError

from ..client.hosts import same_work
from ..const import LOGGER
from ..grants import GRANTS
from ..hosts import HOSTS
from ..library.files import Files, KeptFile
from ..library.libraries import async_libraries


def kept_file(hass: HomeAssistant, url: str) -> tuple[Files, KeptFile] | None:
    """Return the file of a work by any of its addresses, of whichever library has one."""
    url = hass.data[HOSTS].public_url(url)
    for library in async_libraries(hass):
        if (file := library.files.get(url)) is not None:
            return library.files, file
    return None


@callback
def async_lend(
    hass: HomeAssistant, sources: Iterable[str], *, is_public: bool = False
) -> dict[str, str]:
    """Return where a display loads those works that are nowhere but at home, by the form in which addresses of the same work are equal; a public one cannot use the gateway of the owner."""
    if not any(library.files.count for library in async_libraries(hass)):
        return {}
    hosts, lent = hass.data[HOSTS], dict[str, str]()
    for source in sources:
        if (kept := kept_file(hass, source)) is None:
            continue
        files, file = kept
        files.async_use(file.url)
        if not hosts.is_nowhere(file.url, is_public=is_public):
            continue
        media_id, name = files.lent_id(file), files.lent_name(file)
        try:
            lent[same_work(file.url)] = hass.data[GRANTS].async_url(media_id, name)
        except HomeAssistantError as err:
            LOGGER.debug("A kept file cannot be lent: %s", err)
    return lent


def lives(
    hass: HomeAssistant, url: str, *, is_collected: bool, is_public: bool = False
) -> str | None:
    """Return where a work lives for a display: `network`, `home` beside that, or `only_home`; None for one that is not kept and that nobody here has collected."""
    is_kept = kept_file(hass, url) is not None
    if not is_kept and not is_collected:
        return None
    if hass.data[HOSTS].is_nowhere(url, is_public=is_public):
        return "only_home" if is_kept else None
    return "home" if is_kept else "network"
