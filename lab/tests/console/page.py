"""Scripts that look at the page of the console."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from browser import Browser

WAIT = """new Promise((done, failed) => {
  const end = Date.now() + 20000;
  const look = () => {
    if (%s) done(true);
    else if (Date.now() > end) failed(document.body.innerText);
    else setTimeout(look, 50);
  };
  look();
})"""
DRAWN = "document.querySelectorAll('.chart svg path').length >= 6"


def show(browser: Browser, address: str, *, until: str = DRAWN, width: int = 1280, scheme: str = "light") -> None:
    """Open an address in a fresh page and wait."""
    browser.open("about:blank")
    browser.open(address, width=width, scheme=scheme)
    wait(browser, until)


def wait(browser: Browser, condition: str) -> None:
    """Wait until a condition of the page holds."""
    assert browser.run(WAIT % condition)


def text(browser: Browser, selector: str) -> str:
    """The text of an element."""
    found: Any = browser.run(f"document.querySelector({selector!r}).textContent")
    return str(found)


def complaints(browser: Browser) -> list[dict[str, Any]]:
    """Errors that the page logged or threw."""
    return [event for event in browser.events if event["method"] in {"Log.entryAdded", "Runtime.exceptionThrown"}]
