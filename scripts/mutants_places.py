"""The places that `scripts/mutants` breaks, and the tests that have to notice."""

from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SOURCE = Path("custom_components/dp1")


class Place(NamedTuple):
    """A place in the code, and how it is broken.

    Attributes:
        file: in the integration.
        what: what is broken then.
        old: text that occurs once in the file.
        new: what stands there instead.
        tests: that have to notice.
    """

    file: str
    what: str
    old: str
    new: str
    tests: list[str]

    def broken(self, source: str) -> str:
        """Return the source with this place broken."""
        return source.replace(self.old, self.new)


PLACES = [
    Place(
        "client/text.py",
        "escape sequences stay in texts",
        '_INVISIBLE.sub("", _ANSI.sub("", text))',
        '_INVISIBLE.sub("", text)',
        ["tests/client/test_text.py"],
    ),
    Place(
        "client/text.py",
        "Markdown stays in texts",
        'return _MARKDOWN.sub(r"\\\\\\g<0>", clean(text, limit))',
        "return clean(text, limit)",
        ["tests/client/test_text.py"],
    ),
    Place(
        "client/text.py",
        "texts are not shortened",
        "return text if len(text) <= limit else",
        "return text if text else",
        ["tests/client/test_text.py"],
    ),
    Place(
        "client/text.py",
        "passwords in addresses are taken",
        "if url.raw_user is not None or url.raw_password is not None:",
        "if not url.host:",
        ["tests/client/test_guard.py::test_no_web_address"],
    ),
    Place(
        "client/values.py",
        "integers of any size",
        "return number if number in _INTEGERS else float(number)",
        "return number",
        ["tests/client/test_values.py"],
    ),
    Place(
        "client/values.py",
        "no bound on values",
        "    if len(body) > max_values and exceeds(body, max_values):",
        "    if max_values == 0:",
        ["tests/client/display/test_bounds.py"],
    ),
    Place(
        "client/values.py",
        "moments before all calendars",
        "if found.tzinfo and found.year > 1 else None",
        "if found.tzinfo else None",
        ["tests/client/display/test_status.py::test_no_point_in_time"],
    ),
    Place(
        "client/http.py",
        "addresses at home are asked",
        "if not is_public(address[0]):",
        "if not address:",
        ["tests/client/test_guard.py::test_home_is_closed"],
    ),
    Place(
        "client/http.py",
        "IPv4 within IPv6 is not looked at",
        "            ip = ip.ipv4_mapped\n",
        "            return True\n",
        ["tests/client/test_guard.py::test_is_public"],
    ),
    Place(
        "client/http.py",
        "redirects are not checked",
        "target = _checked(place, target)",
        "target = target.join(URL(place))",
        ["tests/client/test_guard.py::test_redirect_to_no_web_address"],
    ),
    Place(
        "client/http.py",
        "headers go along to others",
        "                options = {}\n",
        "                options = dict(options)\n",
        ["tests/client/test_guard.py::test_redirects_are_followed"],
    ),
    Place(
        "client/http.py",
        "redirects without end",
        "MAX_REDIRECTS = 5",
        "MAX_REDIRECTS = 50",
        ["tests/client/test_guard.py::test_redirects_are_followed"],
    ),
    Place(
        "client/http.py",
        "names lead home later",
        "if named and self.seen.get(place) != PUBLIC:",
        "if named:",
        ["tests/client/test_guard.py::test_name_that_leads_home_the_next_time"],
    ),
    Place(
        "client/http.py",
        "answers of any length",
        "        if length <= max_body:\n",
        "        if length >= 0:\n",
        ["tests/client/test_http.py::test_body_is_bounded"],
    ),
    Place(
        "client/http.py",
        "redirects are followed without a guard",
        'allow_redirects=isinstance(session, Guard) and method in ("GET", "HEAD"),',
        "allow_redirects=True,",
        [
            "tests/client/test_http.py::test_redirects",
            "tests/test_guard.py::test_servers_cannot_send_elsewhere",
        ],
    ),
    Place(
        "client/http.py",
        "pauses of any length",
        "return min(float(text), MAX_RETRY_AFTER)",
        "return float(text)",
        ["tests/client/test_http.py::test_retry_after"],
    ),
    Place(
        "client/display/transport.py",
        "a rest saves up commands",
        "self._tokens = min(grown, self._capacity) - 1",
        "self._tokens = grown - 1",
        ["tests/client/display/test_rate_limit.py"],
    ),
    Place(
        "client/display/transport.py",
        "tokens are lost",
        "                bucket.give_back()\n                raise",
        "                raise",
        ["tests/client/display/test_rate_limit.py"],
    ),
    Place(
        "client/display/transport.py",
        "overtaken writes are sent",
        "if task.newer is None or task.newer.finished:",
        "if task is not None:",
        ["tests/client/display/test_request_queue.py"],
    ),
    Place(
        "client/display/transport.py",
        "writes overlap",
        '        async def send_newest(task: _SharedTask[T]) -> T:\n            """Send, unless a newer write has come in the meantime."""\n            async with self._lock:',
        '        async def send_newest(task: _SharedTask[T]) -> T:\n            """Send, unless a newer write has come in the meantime."""\n            async with asyncio.Lock():',
        ["tests/client/display/test_request_queue.py"],
    ),
    Place(
        "client/display/transport.py",
        "old reads are shared",
        "        self._pending.clear()",
        "        self._pending.copy()",
        ["tests/client/display/test_request_queue.py"],
    ),
    Place(
        "client/display/transport.py",
        "requests nobody waits for go on",
        "            if not self._callers:\n                self.task.cancel()",
        "            if self._callers < 0:\n                self.task.cancel()",
        ["tests/client/display/test_request_queue.py"],
    ),
    Place(
        "client/display/transport.py",
        "busy displays are not asked again",
        "_ATTEMPTS = 3",
        "_ATTEMPTS = 1",
        ["tests/client/display/test_client.py::test_a_busy_display_is_asked_again"],
    ),
    Place(
        "client/display/notifications.py",
        "sockets follow redirects",
        "if 300 <= response.status < 400:",
        "if response.status < 0:",
        [
            "tests/client/display/test_notifications.py::test_a_display_does_not_choose_what_is_requested"
        ],
    ),
    Place(
        "client/display/transport.py",
        "one queue for everything",
        'return self._panel_queue if command == "ddcPanelControl" else self._device_queue',
        "return self._player_queue",
        [
            "tests/client/display/test_client.py::test_a_slow_cast_delays_only_the_player"
        ],
    ),
    Place(
        "client/display/notifications.py",
        "frames of any length",
        "max_msg_size=MAX_REPLY",
        "max_msg_size=0",
        [
            "tests/client/display/test_bounds.py",
            "tests/client/display/test_notifications.py",
        ],
    ),
    Place(
        "client/display/notifications.py",
        "a half-open socket is kept",
        "if self._heard == heard and self._receiver is not None:",
        "if self._heard < heard:",
        [
            "tests/client/display/test_notifications.py::test_a_half_open_socket_is_noticed"
        ],
    ),
    Place(
        "client/display/transport.py",
        "a no is a yes",
        'if isinstance(leaf, dict) and leaf.get("ok") is False:',
        "if leaf is False:",
        ["tests/client/display/test_client.py::test_every_way_to_fail"],
    ),
    Place(
        "client/catalog/client.py",
        "every page of a dead catalog is asked for",
        "if len(self._failures) >= MAX_FAILED_PAGES:",
        "if len(self._failures) > 10_000:",
        ["tests/client/catalog/test_client.py"],
    ),
    Place(
        "client/catalog/client.py",
        "repeated pages go on",
        "if page.records and not new:",
        "if not page.records and not new:",
        ["tests/client/catalog/test_client.py"],
    ),
    Place(
        "client/catalog/client.py",
        "no second try",
        "RETRIES = 1\n",
        "RETRIES = 0\n",
        ["tests/client/catalog/test_client.py::test_passing_trouble_is_survived"],
    ),
    Place(
        "client/catalog/client.py",
        "a busy catalog is not left alone",
        "self._quiet_until = max(self._quiet_until, end)",
        "self._quiet_until = min(self._quiet_until, end)",
        ["tests/client/catalog/test_client.py::test_busy_catalog_is_obeyed"],
    ),
    Place(
        "client/catalog/client.py",
        "the inside of a server is shown",
        "inside = answer.status >= 500 or is_technical(words)",
        "inside = not words",
        ["tests/client/catalog/test_client.py::test_what_a_catalog_says_of_itself"],
    ),
    Place(
        "library/providers/catalog/records.py",
        "large series are read ahead to their end",
        "limit = MAX_WHOLE if total <= MAX_WHOLE else 0",
        "limit = total",
        ["tests/library/test_named_works.py::test_they_are_found"],
    ),
    Place(
        "library/providers/catalog/background_reader.py",
        "a busy catalog is read on",
        "self._schedule(self._pause, asked)",
        "self._schedule(0, asked)",
        ["tests/library/test_named_works.py::test_errors_slow_it_down"],
    ),
    Place(
        "client/feed/connection.py",
        "writes are repeated",
        "if answer.status != 429 and not (reading or repeatable):",
        "if answer.status == 429 and not (reading or repeatable):",
        ["tests/client/feed/test_publish.py"],
    ),
    Place(
        "client/feed/connection.py",
        "long pauses are waited for",
        "            if _now() + pause >= end:\n                raise error\n",
        "",
        ["tests/client/feed/test_publish.py"],
    ),
    Place(
        "client/feed/writer.py",
        "what arrived is sent again",
        "        if found := await self._look_for(draft.document, doubt):\n            return found\n        if isinstance(doubt",
        "        if isinstance(doubt",
        [
            "tests/client/feed/test_publish.py::test_doubtful_signed_publish_finds_its_document",
            "tests/client/feed/test_publish.py::test_conflict_with_itself",
        ],
    ),
    Place(
        "client/feed/writer.py",
        "another document is taken for ours",
        "return held if same else None",
        "return held",
        ["tests/client/feed/test_publish.py::test_conflict"],
    ),
    Place(
        "client/feed/connection.py",
        "the key is repeated",
        'text.replace(secret, "***") if secret else text',
        "text",
        ["tests/client/feed/test_errors.py"],
    ),
    Place(
        "client/feed/connection.py",
        "playlists of others are deleted",
        '    if "://" in name:\n',
        "    if not name:\n",
        [
            "tests/client/feed/test_client.py::test_a_feed_does_not_choose_where_the_key_goes",
            "tests/client/feed/test_client.py::test_delete",
        ],
    ),
    Place(
        "client/playlist/signing.py",
        "any signature fits",
        "    except InvalidSignature, ValueError:\n        return False\n",
        "    except InvalidSignature, ValueError:\n        return True\n",
        ["tests/client/playlist/test_signing.py::test_bad_signatures_are_refused"],
    ),
    Place(
        "client/playlist/signing.py",
        "sloppy base64 is taken",
        'return data if urlsafe_b64encode(data).rstrip(b"=") == text.encode() else None',
        "return data",
        [
            "tests/client/playlist/test_signing.py::test_other_ways_to_write_a_good_signature_are_refused"
        ],
    ),
    Place(
        "client/playlist/signing.py",
        "signatures without end are checked",
        "place < _MAX_CHECKED)",
        "place >= 0)",
        ["tests/client/playlist/test_signing.py"],
    ),
    Place(
        "storage.py",
        "damaged files are overwritten",
        "path.replace(kept)",
        "path.exists()",
        ["tests/test_storage.py::test_wrong_shape"],
    ),
    Place(
        "guard.py",
        "guests name hosts",
        "if context is None or is_guest:",
        "if context is None:",
        ["tests/test_guard.py::test_guests_read_nothing_at_home"],
    ),
    Place(
        "guard.py",
        "all of Home Assistant is a file",
        "web_url(url).path.startswith(OWN_FILES)",
        'web_url(url).path.startswith("/")',
        ["tests/test_guard.py::test_files_of_home_assistant"],
    ),
    Place(
        "errors.py",
        "texts of strangers are echoed",
        "name: clean(text, SHOWN_CHARACTERS) for name",
        "name: text for name",
        ["tests/test_errors.py"],
    ),
    Place(
        "media_player.py",
        "what others cast names hosts",
        "named = None if is_in_history(self.hass, media_id) else media_id",
        "named = media_id",
        ["tests/test_guard.py::test_what_a_display_was_told_by_others"],
    ),
    Place(
        "media_player.py",
        "steps of the volume overlap",
        "        async with self._volume_lock:\n            await super().async_volume_up()",
        "        await super().async_volume_up()",
        ["tests/test_politeness.py::test_twenty_volumes", "tests/test_media_player.py"],
    ),
    Place(
        "browse/pictures.py",
        "pictures of any size",
        "if len(content) > MAX_PICTURE_BYTES:",
        "if len(content) < 0:",
        ["tests/test_image.py::test_picture_that_is_none"],
    ),
    Place(
        "browse/pictures.py",
        "any content is a picture",
        "    return None\n\n\ndef pixels",
        '    return "text/html"\n\n\ndef pixels',
        ["tests/browse/test_media_image.py::test_what_carries_scripts"],
    ),
    Place(
        "playback/media_proxy.py",
        "media stay open",
        "return grant.media_id if grant and self._is_used(token, grant) else None",
        "return grant.media_id if grant else None",
        ["tests/playback/test_media_proxy.py::test_what_is_not_shown_any_more"],
    ),
    Place(
        "playback/media_proxy.py",
        "scripts run in browsers",
        '    "Content-Security-Policy": "sandbox",\n',
        "",
        ["tests/playback/test_media_proxy.py::test_what_carries_scripts"],
    ),
    Place(
        "playback/resolve.py",
        "login is no matter",
        "if local.path.startswith(LOGIN_PATHS) and not local.query:",
        "if not local.path:",
        [
            "tests/playback/test_media_proxy.py::test_an_address_that_was_pushed",
            "tests/playback/test_media_proxy.py::test_a_guest_opens_nothing",
        ],
    ),
    Place(
        "actions/feed.py",
        "guests publish",
        '    if not (is_admin or library.entry.options.get(CONF_PUBLISH_FOR_ALL)):\n        raise NotAllowedError(call.context, "publish_not_allowed", name=library.title)\n',
        "",
        ["tests/actions/test_rights.py::test_guests_do_not_publish"],
    ),
    Place(
        "actions/feed.py",
        "private addresses are published",
        "    await call.hass.async_add_executor_job(_check_sources, document)\n",
        "",
        ["tests/actions/test_feed.py::test_private_addresses_stay_here"],
    ),
    Place(
        "display/connection.py",
        "one miss is a loss",
        "if self.misses >= MISSES_TO_LOSS and silence >= patience:",
        "if self.misses:",
        ["tests/display/test_connection.py"],
    ),
    Place(
        "display/history.py",
        "the history grows",
        "if place and (place >= MAX_LISTS or total > MAX_SIZE):",
        "if place and total > MAX_SIZE:",
        ["tests/display/test_history.py"],
    ),
    Place(
        "coordinator.py",
        "another display is taken for this one",
        "        if self._is_other:\n            raise kind(",
        "        if not self.config_entry:\n            raise kind(",
        [
            "tests/test_coordinator.py::test_another_display_at_the_address_is_left_alone"
        ],
    ),
    Place(
        "coordinator.py",
        "turned off once only",
        "SLEEP_TRIES: Final = 2",
        "SLEEP_TRIES: Final = 1",
        ["tests/test_media_player.py"],
    ),
    Place(
        "display/discovery.py",
        "half a magic packet",
        'b"\\xff" * 6 + mac * 16',
        'b"\\xff" * 6 + mac * 8',
        ["tests/display/test_wake_on_lan.py::test_switched_on_again"],
    ),
    Place(
        "library/providers/catalog/provider.py",
        "manifests of any length",
        "                max_body=MAX_MANIFEST,\n",
        "",
        ["tests/library/test_recognition.py::test_manifests"],
    ),
    Place(
        "client/playlist/schedule.py",
        "works of earlier days stay due",
        "(moment is not None and moment == since)",
        "(moment is not None and moment <= now)",
        ["tests/client/playlist/test_schedule.py"],
    ),
    Place(
        "client/playlist/schedule.py",
        "times that the clocks skip are late",
        "if found.astimezone(zone).replace(tzinfo=None) == local:",
        "if found:",
        ["tests/client/playlist/test_schedule.py"],
    ),
    Place(
        "library/providers/channel.py",
        "all that is there at first is news",
        "[] if seen is None else [key for key in ids if key not in known]",
        "[key for key in ids if key not in known]",
        ["tests/library/test_new_playlists.py"],
    ),
    Place(
        "library/providers/channel.py",
        "a playlist in two channels is told twice",
        "fresh = [key for key in new if not self._is_told(key)]",
        "fresh = new",
        ["tests/library/test_followed.py::test_two_channels_and_a_publisher"],
    ),
    Place(
        "playback/daily.py",
        "the Daily replaces what a person chose",
        "if not await self._async_is_shown(coordinator):",
        "if self is None:",
        ["tests/playback/test_daily.py::test_what_a_person_chose_stays"],
    ),
    Place(
        "playback/daily.py",
        "old displays keep the archive",
        "return len(shown) > 1 if shown else",
        "return False if shown else",
        ["tests/playback/test_daily.py::test_a_day_changes"],
    ),
    Place(
        "client/indexer/tokens.py",
        "works keep the addresses of their owners",
        "        if owners:\n",
        "        if not owners:\n",
        ["tests/library/test_collection_privacy.py"],
    ),
    Place(
        "library/providers/collection.py",
        "works that were there before are told as acquired",
        "held_since is None or held_since < self._state.since",
        "held_since is None",
        ["tests/library/test_collection.py"],
    ),
    Place(
        "library/providers/collection.py",
        "a work that is hidden for a while is told again",
        "if name not in self._state.told:",
        "if name:",
        ["tests/library/test_collection.py"],
    ),
    Place(
        "client/values.py",
        "integers of any size reach states",
        "return value if value in _INTEGERS else None",
        "return value",
        ["tests/test_fuzz.py::test_nothing_breaks"],
    ),
    Place(
        "client/values.py",
        "moments after all calendars",
        "    except ValueError, OverflowError:\n        return None\n",
        "    except ValueError:\n        return None\n",
        ["tests/test_fuzz.py::test_nothing_breaks"],
    ),
    Place(
        "client/values.py",
        "numbers without end reach states",
        "return float(value) if math.isfinite(value) else None",
        "return float(value)",
        ["tests/test_fuzz.py::test_nothing_breaks"],
    ),
    Place(
        "client/text.py",
        "long texts take more than their share",
        '    text = text[: READ_LENGTHS * limit]\n    if "<" in text:\n',
        '    for place in range(0, len(text), 20):\n        text = text[:place] + text[place:].replace("<<", "<", 1)\n    if "<" in text:\n',
        ["tests/test_fuzz.py::test_nothing_breaks"],
    ),
    Place(
        "client/text.py",
        "control characters stay in states",
        'text = _CONTROL.sub(" ", _INVISIBLE',
        "text = str(_INVISIBLE",
        ["tests/test_fuzz.py::test_no_state_breaks"],
    ),
    Place(
        "client/playlist/manifest.py",
        "a manifest of the wrong shape raises",
        'clean(mapping(artist).get("name"), MAX_TITLE)\n',
        'clean(artist.get("name"), MAX_TITLE)\n',
        ["tests/test_fuzz.py::test_no_state_breaks"],
    ),
    Place(
        "client/values.py",
        "documents of any depth are decoded",
        "<= MAX_DEPTH or not is_too_deep(value):\n",
        "<= MAX_DEPTH or value is not body:\n",
        ["tests/client/test_values.py::test_levels"],
    ),
    Place(
        "client/display/player_status.py",
        "what a display says of a contract reaches states",
        '    parts = {"type": word(given.get("type")), "contract": contract}\n',
        '    parts = {"type": word(given.get("type")), "contract": contract, "x": given.get("contract")}\n',
        ["tests/test_fuzz.py::test_no_state_breaks"],
    ),
    Place(
        "client/display/player_status.py",
        "titles as they were sent",
        'title: str | None = sent(_title, "title")',
        'title: str | None = sent(lambda value: value, "title")',
        ["tests/test_fuzz.py::test_no_state_breaks"],
    ),
    Place(
        "client/values.py",
        "long bodies are decoded in the event loop",
        "MAX_ON_LOOP = 64 * 1024",
        "MAX_ON_LOOP = 64 * 1024 * 1024",
        ["tests/client/catalog/test_long_pages.py", "tests/test_faults.py"],
    ),
    Place(
        "client/http.py",
        "names of others lead home",
        "                if is_home_name(host):\n",
        "                if host:\n",
        ["tests/client/test_guard.py::test_a_server_at_home_stays_where_it_was"],
    ),
    Place(
        "guard.py",
        "casts name any host",
        "                and is_home_name(plain_host(web_url(url)))\n",
        "",
        [
            "tests/test_guard.py::test_a_name_that_is_turned_inside",
            "tests/test_guard.py::test_hosts_of_casts_are_kept",
        ],
    ),
    Place(
        "client/values.py",
        "deep values hide what others wrote",
        "    if not strict:\n        return",
        "    if max_values < 0:\n        return",
        ["tests/client/test_values.py", "tests/test_strangers.py"],
    ),
    Place(
        "client/http.py",
        "documents lose what is nested",
        "decode(self.body, strict=self.strict)",
        "decode(self.body)",
        ["tests/client/feed/test_client.py::test_a_document_is_read_as_a_whole"],
    ),
    Place(
        "client/text.py",
        "addresses of any length are read",
        "if len(text) > MAX_URL:",
        "if len(text) < 0:",
        ["tests/client/test_guard.py::test_an_address_without_end"],
    ),
    Place(
        "browse/pictures.py",
        "pictures of any number of pixels",
        "if content_type is None or pixels(bytes(content)) > MAX_PIXELS:",
        "if content_type is None:",
        ["tests/browse/test_media_image.py::test_few_bytes_of_many_pixels"],
    ),
    Place(
        "library/providers/favorites.py",
        "favorites are acknowledged before they are saved",
        "        await self._store.async_save_now(self._to_store())",
        "        self._store.async_delay_save(self._to_store, SAVE_SECONDS)",
        ["tests/test_faults.py::test_kills"],
    ),
    Place(
        "storage.py",
        "failures to write are forgotten",
        "            self._failures.append(err)\n",
        "",
        ["tests/test_faults.py::test_storage_faults_of_a_running_home"],
    ),
    Place(
        "config_flow.py",
        "one address is discovered again and again",
        "if self.hass.config_entries.flow.async_has_matching_flow(self):",
        "if self._address is None:",
        ["tests/test_faults.py::test_faults"],
    ),
    Place(
        "library/server.py",
        "who stops waits for what hangs",
        "        self.reads.stop()\n        await super().async_shutdown()",
        "        await asyncio.gather(*self.reads._tasks.values())\n        await super().async_shutdown()",
        ["tests/test_faults.py::test_storage_faults_of_a_running_home"],
    ),
    Place(
        "voice/request.py",
        "what is named in many words is compared as a whole",
        "    return text[:MAX_SAID]",
        "    return text",
        ["tests/voice/test_llm.py::test_words_without_end"],
    ),
    Place(
        "library/text_index.py",
        "texts of any length are folded and remembered",
        "return _folded(text[:MAX_FOLDED])",
        "return _folded(text)",
        ["tests/library/test_search.py::test_what_has_no_end"],
    ),
]
