"""Delays in seconds that several rooms keep; any other is a constant where it acts."""

from typing import Final

# Seconds between two looks at the servers of a library.
REFRESH: Final = 6 * 3600.0
# Seconds until such a look that failed is tried again; doubled each time.
LIST_RETRY: Final = 60.0
# Seconds between two pages of a list that nobody waits for.
PAGE_PAUSE: Final = 2.0
# Seconds that a document has that is only read for its title, and of a page that is also asked whether it may be framed.
TITLE_TIMEOUT: Final = 5.0
# Seconds that a playlist has that is read by its address.
DOCUMENT_TIMEOUT: Final = 20.0
