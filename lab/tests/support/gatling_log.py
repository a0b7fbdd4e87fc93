"""Writer of Gatling's binary simulation.log."""

from __future__ import annotations

import struct

BEGAN = 1_795_265_418_443
"""Start of the run, in milliseconds since the epoch."""


class Log:
    """Writes records as Gatling does."""

    def __init__(self) -> None:
        self.bytes = b"\0" + b"".join(map(self.string, ("3.14.9", "shop.Checkout")))
        self.bytes += struct.pack(">q", BEGAN) + self.string("über Nacht 試験") + struct.pack(">i", 1)
        self.bytes += self.string("buyers") + struct.pack(">ii3s", 1, 3, b"\1\2\3")
        self._texts: dict[str, int] = {}

    def user(self, at: int, *, begins: bool = True) -> Log:
        self.bytes += b"\2" + struct.pack(">iBi", 0, begins, at)
        return self

    def request(self, groups: tuple[str, ...], name: str, times: tuple[int, int], message: str = "") -> Log:
        self.bytes += b"\1" + self._groups(groups) + self._text(name)
        self.bytes += struct.pack(">iIB", *times, not message) + self._text(message)
        return self

    def group(self, groups: tuple[str, ...]) -> Log:
        self.bytes += b"\3" + self._groups(groups) + struct.pack(">iiiB", 5, 900, 40, 1)
        return self

    def error(self, message: str) -> Log:
        self.bytes += b"\4" + self._text(message) + struct.pack(">i", 7)
        return self

    def _groups(self, groups: tuple[str, ...]) -> bytes:
        return struct.pack(">i", len(groups)) + b"".join(map(self._text, groups))

    def _text(self, text: str) -> bytes:
        if text in self._texts:
            return struct.pack(">i", -self._texts[text])
        self._texts[text] = len(self._texts) + 1
        return struct.pack(">i", self._texts[text]) + self.string(text)

    @staticmethod
    def string(text: str) -> bytes:
        if not text:
            return struct.pack(">i", 0)
        plain = all(ord(character) < 256 for character in text)
        value = text.encode("latin-1" if plain else "utf-16-le")
        return struct.pack(">i", len(value)) + value + bytes([not plain])
