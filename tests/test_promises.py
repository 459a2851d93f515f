"""Test that whatever `SECURITY.md` promises is tested."""

import re

import pytest

from scripts.mutants_places import PLACES

from .sources import ROOT
from .test_doors import DOORS

# By how a sentence begins.
PROMISES: dict[str, list[str]] = {
    "An announcement proves nothing": ["test_config_flow.py::test_an_announcement_alone_proves_nothing", "test_config_flow.py::test_who_answers_at_an_announced_address"],
    "The id that a display gives": ["test_config_flow.py::test_the_id_comes_from_the_announcement_or_the_name", "test_config_flow.py::test_who_answers_at_an_announced_address", "test_config_flow.py::test_the_hardware_tells_which_of_two_is_the_display"],
    "An address does not change": ["test_config_flow.py::test_a_second_server_does_not_take_a_display_over"],
    "Whoever names an object": ["test_callers.py::test_every_action_by_who_may_not", "test_callers.py::test_every_medium_by_who_may_not", "test_callers.py::test_what_hung_elsewhere", "test_callers.py::test_a_heart_is_for_who_may_change_the_library", "voice/test_llm.py::test_a_guest_is_refused"],
    "Who may not read a display": ["voice/test_rights.py::test_who_may_not_read_is_not_told", "voice/test_rights.py::test_a_model_of_who_may_not_read", "voice/test_rights.py::test_who_may_not_read_browses_nothing"],
    "Addresses that the owner did not configure": ["client/test_guard.py::test_home_is_closed", "client/test_guard.py::test_redirect_into_the_home", "client/test_guard.py::test_name_that_leads_home_the_next_time"],
    "For whom a request is made": ["test_addresses.py::test_guests_read_nothing_at_home", "test_callers.py::test_a_display_reads_nothing_at_home"],
    "A call of the owner opens": ["test_addresses.py::test_guests_read_nothing_at_home", "client/test_guard.py::test_names_at_home"],
    "The networks of Home Assistant's own interfaces": ["test_addresses.py::test_addresses_of_this_home"],
    "Hosts are read as browsers": ["client/test_guard.py::test_host", "client/test_guard.py::test_home_is_closed"],
    "Afterwards, exactly the addresses": ["test_addresses.py::test_hosts_of_casts_are_kept", "test_callers.py::test_a_display_reads_nothing_at_home"],
    "A server of a library": ["client/test_guard.py::test_a_server_at_home_stays_where_it_was", "test_addresses.py::test_what_was_public_is_remembered"],
    "Of a playlist of others": [
        "playback/test_gateways.py::test_works_of_a_document_that_are_gone",
        "playback/test_judged.py::test_nothing_at_home_is_asked",
    ],
    "Without such a check": ["client/test_http.py::test_redirects", "client/display/test_notifications.py::test_a_display_does_not_choose_what_is_requested"],
    "No cookies are kept": ["test_addresses.py::test_cookies_of_a_display"],
    "Only media that Home Assistant itself": ["playback/test_media_proxy.py::test_a_made_up_token", "playback/test_media_proxy.py::test_a_guest_opens_nothing"],
    "No path that came from outside": ["playback/test_media_proxy.py::test_an_address_that_was_pushed", "playback/test_media_proxy.py::test_a_pushed_name_is_no_address"],
    "The picture of a camera or image": ["test_callers.py::test_a_camera_is_private_again", "playback/test_media_proxy.py::test_what_no_display_reports"],
    "It is looked at each second": ["playback/test_lending.py::test_a_stream_ends_with_its_picture", "playback/test_lending.py::test_a_slow_reader_gets_no_more_than_is_lent", "playback/test_lending.py::test_a_display_that_is_disabled"],
    "The player of displays and the pages": ["playback/test_lending.py::test_which_pages_may_read"],
    "A page of your own": ["playback/test_lending.py::test_a_page_of_ones_own"],
    "Every text of a document": ["actions/test_publishable.py::test_what_is_hidden", "actions/test_publishable.py::test_what_is_encoded_without_end"],
    "A document with an address of lent": ["actions/test_publishable.py::test_nothing_private_is_published", "actions/test_publishable.py::test_how_an_address_is_written"],
    "A page or a text that only names": ["actions/test_publishable.py::test_the_owner_confirms", "actions/test_publishable.py::test_how_an_address_is_written"],
    "Of what a display reports": ["actions/test_publishable.py::test_what_a_display_adds_is_not_signed"],
    "Whatever comes from the network": ["client/test_http.py::test_body_is_bounded", "client/test_http.py::test_endless_compression", "client/display/test_bounds.py::test_a_reply_that_is_too_large", "client/test_long_answers.py::test_long_answers"],
    "No attribute of a state": ["test_media_player.py::test_the_longest_of_everything", "test_fuzz.py::test_no_state_breaks"],
    "What strangers wrote": ["library/test_hostile_texts.py::test_texts_of_a_feed", "test_hostile_flows.py::test_the_name_of_a_channel", "voice/test_llm.py::test_texts_of_strangers", "test_errors.py::test_nothing_is_echoed_without_end", "client/test_text.py::test_markdown_safe"],
    "Only raster images": ["browse/test_media_image.py::test_pictures_are_what_they_contain", "browse/test_media_image.py::test_few_bytes_of_many_pixels", "browse/test_media_image.py::test_what_carries_scripts", "test_image.py::test_a_drawing_as_picture"],
    "The signing key is stored": ["test_storage.py::test_files_are_for_their_owner", "test_secrets.py::test_keys_are_never_shown", "test_hostile_flows.py::test_a_hostile_feed_asks_for_a_key"],
    "Nothing is signed by a key": ["actions/test_keys.py::test_nothing_is_signed_with_a_key_that_cannot_be_saved"],
    "If a key that has signed": ["actions/test_keys.py::test_a_damaged_key_is_told", "test_config_flow_library.py::test_remove"],
    "They are an allow-list": ["test_diagnostics.py::test_a_display_is_described_without_its_secrets", "test_diagnostics.py::test_a_library_is_described_without_its_secrets"],
    "What is larger is refused": ["client/test_http.py::test_body_is_bounded", "client/test_text.py::test_long_text_ends_in_an_ellipsis"],
    "What is nested deeper": ["client/test_values.py::test_what_is_beside_deep_values_is_read", "test_strangers.py::test_a_nested_work"],
    "A display that pushes more": ["display/test_flood.py::test_only_so_many_changes_are_written", "display/test_flood.py::test_a_flood_is_told_once"],
    "An announcement costs": ["test_config_flow.py::test_announcements_without_end"],
    "A server that is busy": ["library/test_shelf.py::test_a_look_that_fails_is_repeated_sooner", "library/test_outages.py::test_a_catalog_that_asks_to_be_left_alone"],
    "A host of pictures": ["browse/test_pages.py::test_slow_hosts_keep_nobody_waiting"],
}  # fmt: skip
# Who may knock at each door, and where it is judged that nobody else gets in.
KNOCKERS: dict[str, tuple[str, list[str]]] = {
    "pages of screens": (
        "every browser in the local network; a screen by its secret",
        ["screen/test_screen.py::test_who_is_at_home", "screen/test_screen.py::test_another_site_has_nothing_to_do_here", "screen/test_screen.py::test_a_secret_of_nobody"],
    ),
    "commands to screens": (
        "the local network where the owner lets others cast, but no web page; hosts of the playlists in them",
        ["screen/test_casting.py::test_others_may_cast", "screen/test_casting.py::test_nobody_outside_is_heard", "screen/test_casting.py::test_pages_of_others_are_not_heard", "screen/test_casting.py::test_a_flood_of_addresses"],
    ),
    "works of dynamic playlists on screens": (
        "servers that a playlist names; in the internet only, by https",
        ["screen/test_dynamic.py::test_nobody_at_home_is_asked", "screen/test_dynamic.py::test_what_is_no_query"],
    ),
    "answers of displays": ("whatever answers at the address of a display", ["test_config_flow.py::test_who_answers_at_an_announced_address", "client/display/test_bounds.py::test_a_reply_that_is_too_large"]),
    "pushes of displays": ("whatever answers at the address of a display", ["client/display/test_notifications.py::test_a_display_does_not_choose_what_is_requested"]),
    "screenshots": ("whatever answers at the address of a display", ["test_image.py::test_screenshot"]),
    "announcements in the network": ("everybody in the local network", ["test_config_flow.py::test_announcements_without_end"]),
    "playlists at an address": ("their host, wherever a person or a playlist names one", ["test_addresses.py::test_guests_read_nothing_at_home", "test_callers.py::test_a_display_reads_nothing_at_home"]),
    "playlists in actions": ("members of the household, language models", ["test_callers.py::test_every_action_by_who_may_not", "actions/test_large_documents.py::test_large_documents"]),
    "signatures of playlists": ("their author", ["client/playlist/test_signing.py::test_only_so_many_signatures_are_checked"]),
    "answers of the catalog": ("the server that the owner configured", ["test_addresses.py::test_servers_cannot_send_elsewhere"]),
    "answers of the feed": ("the server that the owner configured, and hosts in its channels", ["test_addresses.py::test_servers_cannot_send_elsewhere", "library/test_followed.py::test_a_channel_of_another_feed"]),
    "answers of the indexer": ("the server that the owner configured; that of Feral File for dynamic playlists of the older form on screens", ["test_hostile_flows.py::test_a_collection_of_a_hostile_indexer"]),
    "answers of the museum": ("that of the Art Institute of Chicago, where the owner chose it", ["library/test_museum.py::test_off"]),
    "manifests of works": ("their host, wherever a playlist names one", ["test_callers.py::test_a_display_reads_nothing_at_home"]),
    "titles of web pages": ("their host, wherever a person names one", ["test_addresses.py::test_guests_read_nothing_at_home"]),
    "pictures": ("their host, wherever a playlist or a server names one", ["test_image.py::test_a_picture_at_home_that_nobody_named", "test_callers.py::test_pictures_of_a_playlist_of_the_owner"]),
    "beginnings of web works": ("their host, wherever a playlist names one; public ones, and at home the gateway that the owner named, for content alone", ["test_hosts.py::test_a_look_at_a_gateway", "test_gateway.py::test_what_is_not_asked_there"]),
    "kept files of works": ("their host, for favorites and collections of the owner; public ones, and at home the gateway that the owner named, for content alone", ["test_gateway.py::test_what_is_not_asked_there", "library/test_files.py::test_off_and_removed"]),
    "settings of the vendor's app": ("two hosts of the vendor, where the owner lets them name the Daily", ["playback/test_daily.py::test_what_the_app_of_the_vendor_uses"]),
    "names of uploaded pictures": ("members of the household", ["playback/test_home_media.py::test_the_name_of_an_upload"]),
    "sentences and requests of models": ("members of the household, language models", ["voice/test_llm.py::test_a_guest_is_refused", "voice/test_rights.py::test_whoever_is_not_known_is_not_one"]),
    "names in actions": ("members of the household", ["test_callers.py::test_every_action_by_who_may_not"]),
    "links that are pasted": ("members of the household", ["client/indexer/test_links.py::test_refused_links", "test_callers.py::test_every_medium_by_who_may_not"]),
    "media ids": ("members of the household", ["test_callers.py::test_every_medium_by_who_may_not"]),
    "redirects": ("any of these hosts, each checked", ["client/test_guard.py::test_redirect_into_the_home"]),
    "titles, artists, notes in states": ("any of these hosts", ["test_media_player.py::test_the_longest_of_everything"]),
    "ids and addresses in states": ("any of these hosts", ["test_media_player.py::test_the_longest_of_everything"]),
}  # fmt: skip
# What is told, and promises nothing: the tables and their numbers are in `test_doors`.
TOLD = (
    "A device on the network can nevertheless",
    "What a program puts together",
    "The doors are listed",
    "Each place where bytes",
    "*Per second* is how often",
)


def sentences() -> list[str]:
    """Return the sentences on what follows from the threat model, up to the table of doors."""
    text = (ROOT / "SECURITY.md").read_text().partition("### What follows from it")[2]
    text = text.partition("\n| door |")[0].replace("### The doors", "")
    text = re.sub(r"\*\*Diagnostics\*\*", "They", text)
    paragraphs = re.sub(r"\* \*\*\w+\.\*\*|\* They", lambda it: it[0][2:], text)
    flat = " ".join(re.sub(r"\*\*\w+\.\*\*", "", paragraphs).split())
    return re.split(r"(?<=[.]) (?=[A-Z*])", flat)


def test_every_promise_is_tested() -> None:
    """No sentence is left out, and none that is tested is gone."""
    begins = [
        [start for start in (*PROMISES, *TOLD) if sentence.startswith(start)]
        for sentence in sentences()
    ]
    untested = [
        it for it, starts in zip(sentences(), begins, strict=True) if len(starts) != 1
    ]
    assert untested == []
    assert {start for (start,) in begins} == {*PROMISES, *TOLD}


@pytest.mark.parametrize("door", KNOCKERS)
def test_who_may_knock(door: str) -> None:
    """Who may knock at a door is what its tests judge."""
    assert f"| {door} | {KNOCKERS[door][0]} |" in (ROOT / "SECURITY.md").read_text()


def test_all_doors() -> None:
    """No door is left out."""
    assert KNOCKERS.keys() == DOORS.keys()


def test_every_promise_is_noticed_when_it_is_broken() -> None:
    """Of each, a mutant breaks what keeps it, and one of its tests is to notice."""
    noticing = {it for place in PLACES for it in place.tests}

    def is_noticed(test: str) -> bool:
        return (
            f"tests/{test}" in noticing
            or f"tests/{test.split('::', maxsplit=1)[0]}" in noticing
        )

    assert [it for it in PROMISES if not any(map(is_noticed, PROMISES[it]))] == []


@pytest.mark.parametrize(
    "test",
    sorted(
        {it for its in PROMISES.values() for it in its}
        | {it for _, its in KNOCKERS.values() for it in its}
    ),
)
def test_tests(test: str) -> None:
    """The tests exist."""
    path, _, name = test.partition("::")
    source = (ROOT / "tests" / path).read_text()
    assert name and re.search(rf"def {name}\(", source)
