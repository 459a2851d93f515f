"""Invented names for the simulated catalog: exhibitions, people, works and texts about them."""

from dataclasses import dataclass
from functools import partial


@dataclass(frozen=True, slots=True)
class Show:
    """The characteristics of an exhibition."""

    title: str
    chain: str = "ethereum"
    kind: str = "group"
    slug: str = ""
    series: int = 0
    future: bool = False
    hidden: bool = False
    testing: bool = False
    private: bool = False


_group = Show
_solo = partial(Show, kind="solo")

# Oldest first: 31 group and 20 solo shows, 18 minted on Bitmark, 7 on Tezos, 26 on Ethereum.
SHOWS = (
    _group("First Signals", "bitmark"),
    _solo("Field Notes on Static", "bitmark"),
    _group("Borrowed Light", "bitmark"),
    _group("The Patient Machine", "bitmark"),
    _solo("Still Life", "bitmark"),
    _group("Rooms Without Walls", "bitmark"),
    _group("A Grammar of Dust", "bitmark"),
    _solo("Paper Oceans", "bitmark"),
    _group("Unquiet Grids", "bitmark"),
    _group("Half Remembered", "bitmark"),
    _solo("Kite Season", "bitmark"),
    _group("Soft Errors", "bitmark"),
    _group("Instructions for Rain", "bitmark"),
    _solo("Глубина резкости", "bitmark"),
    _group("The Long Now of Pixels", "bitmark"),
    _group("Salt & Silicon", "bitmark"),
    _solo("Mirror, Unmirror", "bitmark"),
    _group("Peripheral Gardens", "bitmark"),
    _group("Copper Hymns", "tezos"),
    _solo("雨のかたち / Shapes of Rain", "tezos"),
    _group("Night Shift", "tezos"),
    _group("Common Threads", "tezos"),
    _solo("Tidal Arithmetic", "tezos"),
    _group("An Atlas of Almost", "tezos"),
    _solo("Postcards from a Render", "tezos"),
    _group("Living Diagrams"),
    _solo("Longform"),
    _group("Twenty Kinds of Weather", series=20),
    _group("Ghost Protocols"),
    _solo("Slow Fire"),
    _group("Everything Is a Window"),
    _group("Loose Ends", series=12),
    _solo("Still Life"),
    _group("Second Nature, Third Draft"),
    _group("The Weight of Blue"),
    _solo("Ornament and Noise"),
    _group("Tender Machines"),
    _solo("Chorus of Clocks"),
    _solo("ظلال متحركة"),
    _group("Closed Test", testing=True),
    _group("Held Back", hidden=True),
    _solo("Cloud Ledger"),
    _group("Parallel Weather"),
    _solo("Members Only", private=True),
    _group("Foldings"),
    _solo("The Last Mile of Light"),
    _group("Net Evil", slug="net-evil-q7v", series=8),
    _solo("Seven Small Suns", series=7),
    _group("Slow Weather", series=6),
    _solo("Afterimage"),
    _group("Before the Opening", future=True, series=5),
)

FIRST_NAMES = (
    *(
        "Mara",
        "Ren",
        "Ines",
        "Tomas",
        "Adaeze",
        "Yuki",
        "Lior",
        "Samira",
        "Piet",
        "Noor",
        "Elif",
        "Anders",
    ),
    *(
        "Chiara",
        "Dmitri",
        "Farah",
        "Goran",
        "Hana",
        "Ivo",
        "Jun",
        "Kemi",
        "Leena",
        "Mateo",
        "Nadia",
        "Oskar",
    ),
)
LAST_NAMES = (
    *(
        "Okafor",
        "Aoki",
        "Quill",
        "Verne",
        "Lindqvist",
        "Haddad",
        "Moreau",
        "Szabo",
        "Petrov",
        "Castellan",
    ),
    *(
        "Nul",
        "Brandt",
        "Ferro",
        "Ishii",
        "Joubert",
        "Kovac",
        "Larkin",
        "Mbeki",
        "Novak",
        "Oduya",
        "Pires",
    ),
)
ADJECTIVES = (
    *(
        "Amber",
        "Borrowed",
        "Cold",
        "Distant",
        "Empty",
        "Folded",
        "Gentle",
        "Hollow",
        "Idle",
        "Jagged",
        "Known",
    ),
    *(
        "Liquid",
        "Mute",
        "Narrow",
        "Open",
        "Pale",
        "Quiet",
        "Restless",
        "Silver",
        "Thin",
        "Unsent",
        "Velvet",
    ),
    *(
        "Woven",
        "Young",
        "Zero",
        "Broken",
        "Drifting",
        "Electric",
        "Faint",
        "Golden",
        "Inner",
        "Late",
    ),
)
NOUNS = (
    *(
        "Barometer",
        "Choir",
        "Delta",
        "Engine",
        "Forest",
        "Garden",
        "Harbour",
        "Index",
        "Junction",
        "Kernel",
    ),
    *(
        "Ledger",
        "Meadow",
        "Nocturne",
        "Orchard",
        "Prism",
        "Quarry",
        "River",
        "Signal",
        "Tide",
        "Umbra",
    ),
    *(
        "Vessel",
        "Window",
        "Yard",
        "Zenith",
        "Arcade",
        "Bridge",
        "Canopy",
        "Drone",
        "Echo",
        "Fugue",
        "Grid",
        "Horizon",
    ),
)
BIOGRAPHY = (
    "Works with code, light and patience, and lives between a harbour and a server room.",
    "The practice begins with small instructions that are followed for a very long time.",
    "Trained as a printmaker, later as an engineer, and unsure ever since which of the two is speaking.",
    "Exhibits rarely, writes often, and keeps every mistake in a numbered drawer.",
    "Each piece listens to the room it hangs in and answers a little too late.",
    "Has built looms, radios and two unreliable clocks, all of which still run.",
    "Collects the weather of places that nobody visits and plays it back as color.",
    "Believes that a picture should be different on the day you need it.",
)
