"""Make the test package for Home Assistant 2026.10 work with a newer Home Assistant.

Loaded by scripts/test with ``-p tests.phcc_compat`` before the test package itself.
"""

# Imported first: it replaces libraries that the test package imports under their old names.
import homeassistant  # noqa: F401
from homeassistant.components import logger

if not hasattr(logger, "_clear_logger_overwrites"):
    logger._clear_logger_overwrites = lambda hass: None
