"""Framing and labels of works: settings of the device and of the current work."""

from datetime import date
from typing import Any
from uuid import uuid4

from .firmware import Firmware

type Json = dict[str, Any]

SCALINGS = ("fit", "fill", "stretch", "auto")
_TOMBSTONES = ("timed", "on", "off")
_FRAMINGS = ("artwork", "fit", "fill")
_LABELED = date(2026, 7, 24)


class Settings:
    """Settings for all works and for the current one.

    Attributes:
        default_duration: seconds per work, instead of the durations of the works.
        showing_key: identifies the current showing.
        revision: number of accepted changes.
    """

    def __init__(self, firmware: Firmware) -> None:
        """Initialize with the default settings."""
        self._firmware = firmware
        self.saved: Json = {}
        self.temporary: Json = {}
        self.default_duration: float | None = None
        self.showing_key = ""
        self.revision = 0

    @property
    def composed(self) -> bool:
        """Return whether the player supports margin, background and framing."""
        return self._firmware.since("2.0.7")

    @property
    def labeled(self) -> bool:
        """Return whether the player supports the museum label."""
        return self._firmware.player >= _LABELED

    def begin_showing(self) -> None:
        """Drop the settings of the previous work."""
        self.temporary = {}
        self.showing_key = str(uuid4())

    def update(self, request: Json) -> Json:
        """Change the requested settings (``updateDisplaySettings``)."""
        saved = request.get("isSaved") is True
        changes = {
            key: value
            for key, value in request.items()
            if key not in ("isSaved", "showingKey")
        }
        if not self._acceptable(changes, saved=saved):
            return {"ok": False}
        key = request.get("showingKey")
        if self.composed and not saved and key not in (None, self.showing_key):
            return {"ok": False}
        (self.saved if saved else self.temporary).update(changes)
        return self._accepted()

    def frame(self, request: Json) -> Json:
        """Fit or fill for all works (``updateArtFraming``)."""
        self.saved["scaling"] = "fill" if request.get("frameConfig") == 1 else "fit"
        if self.composed:
            self.saved["framing"] = self.saved["scaling"]
        return {"ok": True}

    def _acceptable(self, changes: Json, *, saved: bool) -> bool:
        """Return whether all values are valid."""
        known = {"scaling": SCALINGS, "tombstone": _TOMBSTONES}
        if "framing" in changes and self.composed:
            known["framing"] = _FRAMINGS
            if not saved:
                return False
        return all(
            changes[name] in values for name, values in known.items() if name in changes
        )

    def _accepted(self) -> Json:
        """Count a change."""
        self.revision += 1
        if self.composed:
            return {"ok": True, "acceptedCompositionRevision": self.revision}
        return {"ok": True}

    def report(self, orientation: str, document: Json, item: Json) -> Json:
        """Return the settings as ``checkStatus`` reports them: newer players tell the scaling on the screen, and leave out a framing that nobody chose."""
        chosen = self.saved | self.temporary
        scaling = chosen.get("scaling", "fit")
        if self.composed:
            scaling = self.effective(document, item)["scaling"]
        found: Json = {
            "scaling": scaling,
            "orientation": "portrait" if "portrait" in orientation else "landscape",
        }
        if self.default_duration is not None:
            found["defaultDuration"] = self.default_duration
        if self.labeled:
            found["tombstone"] = chosen.get("tombstone", "timed")
        if self.composed:
            if self.showing_key:
                found["showingKey"] = self.showing_key
            found["compositionRevision"] = self.revision
            found |= {
                name: chosen[name]
                for name in ("margin", "background", "framing")
                if name in chosen
            }
        return found

    def effective(self, document: Json, item: Json) -> Json:
        """Return the settings in effect: those set here, then those of the work and its playlist."""
        defaults = (document.get("defaults") or {}).get("display") or {}
        own = defaults | (item.get("display") or {})
        chosen = self.saved | self.temporary
        overrides = own.get("userOverrides")
        if isinstance(overrides, dict):
            chosen = {k: v for k, v in chosen.items() if overrides.get(k) is not False}
            if overrides.get("scaling") is False:
                chosen["framing"] = "artwork"
        framing = chosen.get("framing")
        if framing == "artwork":
            chosen.pop("scaling", None)
        elif framing is not None and "scaling" not in self.temporary:
            chosen["scaling"] = framing
        if "backgroundColor" in chosen:
            chosen.setdefault("background", chosen["backgroundColor"])
        return {
            "scaling": chosen.get("scaling") or own.get("scaling") or "fit",
            "background": chosen.get("background") or own.get("background") or "black",
            "margin": chosen.get("margin", own.get("margin", 0)),
            "tombstone": chosen.get("tombstone", "timed") if self.labeled else "off",
        }
