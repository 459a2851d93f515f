"""How often the integration asks, how long it waits, and when it tries again.

A new delay is a field of `Timing` in seconds, with its default, read from ``hass.data[TIMING]`` at the moment it is
needed; a part of ``client/`` takes it as an argument instead. Tests run with shorter delays, see ``tests/conftest.py``.
"""

from dataclasses import dataclass
from typing import Final

from homeassistant.util.hass_dict import HassKey

from .const import DOMAIN

TIMING: Final[HassKey[Timing]] = HassKey(f"{DOMAIN}_timing")


@dataclass(frozen=True, kw_only=True, slots=True)
class Timing:
    """Delays in seconds.

    Attributes:
        pace: how many times as many commands are sent as a real display admits; only a simulator takes more.
        heartbeat: between two pings on the socket of a display. With the pong, which may take half of that, and two more
            tries of five seconds each, a display that freezes is unavailable within half a minute.
        first_retry: until the socket is opened again; doubled each time.
        last_retry: the most of that.
        last_retry_without_socket: the same for a display that answers, but has never opened a socket.
        probe_interval: between two probes of a display without a socket, each of five seconds at most.
        steady: after which an open socket resets the retries.
        loss_patience: until a silent display is unavailable; it occasionally restarts its player and refuses connections
            meanwhile.
        error_patience: until a display that only returns errors is unavailable.
        poll_interval: between two reads of what is only pushed while a display reaches its vendor's cloud. A display
            takes each read for a person in contact, so it is not polled more often.
        first_patience: for the first refresh of a display.
        start_patience: the same while Home Assistant starts, which tries again as soon as it has started.
        state_patience: of a command for the state to follow.
        push_patience: of a command for the push that follows it.
        read_cooldown: between two reads of the player.
        follow_up: until what is not pushed is read again: that the player is back, or that a work has loaded.
        end_patience: until a work that is shown beyond its end is taken to be shown again or to stay.
        look_up_retry: until a work is looked up again after a library failed; doubled each time.
        last_look_up_retry: the most of that.
        activity_patience: of an event about a work that appeared, for what the libraries know of it.
        title_timeout: of a document that is only read for its title, and of a page that is also asked whether it may be framed.
        document_timeout: of a playlist that is read by its address.
        link_timeout: of a link to a market; an action ends within 30 seconds.
        proxy_grace: from when the URL of a picture is made until the display reports it.
        picture_timeout: of a thumbnail; Home Assistant waits 10 s for it.
        picture_retry: until a thumbnail that failed is asked for again.
        refresh: between two looks at the servers of a library.
        list_retry: until such a look that failed is tried again; doubled each time.
        last_list_retry: the most of that.
        read_retry: until a list that could not be read is asked for again, whoever wants it.
        page_pause: between two pages of a list that nobody waits for.
        catalog_age: from which series and artworks, which change rarely, are shown, but read again meanwhile.
        older_age: the same of the playlists of a feed that are not among its newest.
        work_age: from which a work is looked up again that a display shows.
        work_retry: the same of one that could not be looked up.
        reading_start: until the background reads on after a start.
        reading_pause: between two lists that it reads, and between two pages of works.
        reading_idle: until it goes on after a failure, and until it looks whether there is anything new to read.
        jitter: the share by which its pauses differ.
        progress_pause: between two looks at how far a first read is, for its dialog.
        save_delay: until what was read of a server is saved, which can be several megabytes on a memory card.
        give_up: after the end of what is shown for a time, until a display that cannot be given back what it showed keeps it.
        install_timeout: of a firmware update, of which a display reports neither progress nor failure.
    """

    pace: float = 1.0
    heartbeat: float = 10.0
    first_retry: float = 0.5
    last_retry: float = 4.0
    last_retry_without_socket: float = 60.0
    probe_interval: float = 10.0
    steady: float = 10.0
    loss_patience: float = 25.0
    error_patience: float = 90.0
    poll_interval: float = 60.0
    first_patience: float = 2.0
    start_patience: float = 0.5
    state_patience: float = 1.0
    push_patience: float = 0.6
    read_cooldown: float = 2.0
    follow_up: float = 7.0
    end_patience: float = 5.0
    look_up_retry: float = 60.0
    last_look_up_retry: float = 3600.0
    activity_patience: float = 3.0
    title_timeout: float = 5.0
    document_timeout: float = 20.0
    link_timeout: float = 25.0
    proxy_grace: float = 300.0
    picture_timeout: float = 9.0
    picture_retry: float = 4.0
    refresh: float = 6 * 3600.0
    list_retry: float = 60.0
    last_list_retry: float = 900.0
    read_retry: float = 2.0
    page_pause: float = 2.0
    catalog_age: float = 3600.0
    older_age: float = 86400.0
    work_age: float = 600.0
    work_retry: float = 30.0
    reading_start: float = 300.0
    reading_pause: float = 20.0
    reading_idle: float = 3600.0
    jitter: float = 0.3
    progress_pause: float = 1.0
    save_delay: float = 900.0
    give_up: float = 86400.0
    install_timeout: float = 1800.0
