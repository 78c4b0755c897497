"""The one error of this package."""

from __future__ import annotations

from typing import Optional


class SheafError(Exception):
    """What failed, and a stable name for it.

    Attributes:
        code: as in the JavaScript API, for example ``NOT_FOUND`` (no such page), ``FILE`` (a file cannot be read),
            ``NOT_A_BUNDLE``, ``CHECKSUM_MISMATCH``, ``INVALID_ARGUMENT``, ``NO_VECTORS``, ``NETWORK``, ``CLOSED``;
            or ``NODE``: Node was not found, is too old, or its process ended.
        message: names the thing, says what was expected and found, and ends with the way out.
        status: of HTTP, where a server gave one.
    """

    def __init__(self, code: str, message: str, status: Optional[int] = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status

    def __str__(self) -> str:
        return f"{self.message} [{self.code}]"

    def __reduce__(self) -> tuple[type[SheafError], tuple[str, str, Optional[int]]]:
        return SheafError, (self.code, self.message, self.status)
