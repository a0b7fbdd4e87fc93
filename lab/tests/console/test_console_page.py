"""The console in a real browser, served by a real server: it draws, fits, and changes the pool."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from zipfile import ZipFile

import pytest
from browser import Browser, chromium
from console_page import complaints, java, show, text, wait

from poolkeeper.report.experiment import load_experiments

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(chromium() is None, reason="chromium is not installed: apt-get install chromium")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_draws_and_fits(browser: Browser, address: str, width: int, scheme: str) -> None:
    show(browser, address, width=width, scheme=scheme)
    assert browser.run("document.documentElement.scrollWidth") <= width
    assert text(browser, "#state") == "live"
    assert "#" not in browser.run("location.href"), "the token does not stay in the address"
    assert not complaints(browser)
    if folder := os.environ.get("POOLKEEPER_SCREENSHOTS"):
        browser.screenshot(Path(folder) / f"console-{width}-{scheme}.png")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(browser: Browser, address: str, scheme: str) -> None:
    """The contrast that WCAG asks for, 4.5 to 1, with its formula of relative luminance."""
    show(browser, address, scheme=scheme)
    worst = browser.run("""(() => {
      const luminance = (color) => {
        const parts = color.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255);
        const [r, g, b] = parts.map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const ground = luminance(getComputedStyle(document.body).backgroundColor);
      return Math.min(...[...document.querySelectorAll('p, th, td button, figcaption, button')].map((element) => {
        const ink = luminance(getComputedStyle(element).color);
        return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
      }));
    })()""")
    assert worst >= 4.5


def test_a_pool_is_changed_from_the_keyboard(browser: Browser, address: str) -> None:
    show(browser, address)
    browser.run("document.querySelector('[data-mode=frozen]').focus()")
    browser.press("Enter")
    browser.run("document.activeElement.click()")
    wait(browser, "document.querySelector('[data-mode=frozen]').getAttribute('aria-pressed') === 'true'")
    wait(browser, "document.querySelector('#audit').textContent.includes('-> frozen')")
    wait(browser, "document.querySelector('#pools tbody tr td:last-child').textContent === 'only measured'")


def test_everything_that_acts_can_be_reached_and_has_a_name(browser: Browser, address: str) -> None:
    show(browser, address)
    nameless = browser.run("""[...document.querySelectorAll('button, input, select, [tabindex]')]
      .filter((element) => element.checkVisibility() && (element.tabIndex < 0 ||
        !(element.textContent.trim() || element.getAttribute('aria-label') || element.labels?.length)))
      .map((element) => element.outerHTML)""")
    assert nameless == []


def submit(browser: Browser, form: str, **fields: str) -> None:
    """Fill in a form and send it."""
    for name, value in fields.items():
        browser.run(f"document.querySelector('#{form} [name={name}]').value = {value!r}")
    browser.run(f"document.querySelector('#{form}').requestSubmit()")


@pytest.mark.parametrize(
    ("form", "fields", "message"),
    [
        ("pin", {"size": "0"}, "size must be 1 to 256, but is 0; the nearest valid value is 1"),
        ("pin", {"size": "999"}, "size must be 1 to 256, but is 999; the nearest valid value is 256"),
        ("pin", {"size": "2", "minutes": "0"}, "minutes must be 1 to 10080, but is 0; the nearest valid value is 1"),
        ("bounds", {"min": "0", "max": "9"}, "min must be 1 to 256, but is 0; the nearest valid value is 1"),
        ("bounds", {"min": "9", "max": "5"}, "min must be <= max, but 9 > 5"),
        ("bounds", {"min": "", "max": "5"}, "min must be a whole number"),
        ("bounds", {"min": "1.5", "max": "5"}, "min must be a whole number, but is 1.5"),
    ],
)
def test_what_is_out_of_bounds_is_refused_with_its_reason(
    browser: Browser, address: str, form: str, fields: dict[str, str], message: str
) -> None:
    show(browser, address)
    submit(browser, form, **fields)
    wait(browser, "document.querySelector('#error').textContent !== ''")
    assert f"Not changed: {message}" in text(browser, "#error")


def test_bounds_are_changed_and_told(browser: Browser, address: str) -> None:
    show(browser, address)
    submit(browser, "bounds", min="2", max="40")
    wait(browser, "document.querySelector('#done').textContent.includes('-> 2..40')")
    wait(browser, "document.querySelector('#now').textContent.includes('Sizes from 2 to 40 are allowed')")
    submit(browser, "bounds", min="1", max="256")
    wait(browser, "document.querySelector('#now').textContent.includes('Sizes from 1 to 256 are allowed')")


def test_the_run_record_is_saved_and_read_by_the_lab(browser: Browser, address: str, tmp_path: Path) -> None:
    show(browser, address)
    browser.send("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    browser.run("document.querySelector('#export').click()")
    wait(browser, "document.querySelector('#done').textContent.startsWith('Saved: ')")
    while browser.wait_for("Page.downloadProgress")["params"]["state"] != "completed":
        pass
    with ZipFile(tmp_path / text(browser, "#done").removeprefix("Saved: ")) as archive:
        archive.extractall(tmp_path)
    (experiment,) = load_experiments([tmp_path])
    (run,) = experiment.runs
    assert run.windows is not None
    assert len(run.windows["size"]) >= len(run.decisions) >= 1
    assert run.decisions[0].controller == "response-curve"
    assert (run.exported, run.notes) == (True, ())


def test_two_pages_see_the_change_of_one(browser: Browser, address: str, tmp_path: Path) -> None:
    with Browser(tmp_path) as second:
        show(second, address)
        show(browser, address)
        submit(browser, "pin", size="7", minutes="60")
        wait(browser, "document.querySelector('#audit').textContent.includes('-> 7, held')")
        wait(second, "document.querySelector('#audit').textContent.includes('-> 7, held')")
        wait(second, "document.querySelector('#pools tbody tr td:nth-child(3)').textContent === '7'")
        wait(browser, "document.querySelector('#verdict').textContent.startsWith('Held by hand')")
        second.run("document.querySelector('[data-mode=active]').click()")
        wait(browser, "document.querySelector('[data-mode=active]').getAttribute('aria-pressed') === 'true'")
        wait(browser, "!document.querySelector('#verdict').textContent.startsWith('Held by hand')")


def test_without_its_token_it_says_what_to_open(browser: Browser, address: str) -> None:
    expected = "document.querySelector('#state').textContent.includes('token is missing or wrong')"
    show(browser, address.split("#", maxsplit=1)[0] + "#wrong-token-wrong-token", until=expected)


def test_a_name_that_is_gone_shows_another_pool(browser: Browser, address: str) -> None:
    page, token = address.split("#", maxsplit=1)
    show(browser, f"{page}?pool=gone#{token}")
    assert text(browser, "#name") == "prime1m"


def test_a_hundred_pools_are_found_and_chosen(browser: Browser, hundred: str) -> None:
    show(browser, hundred)
    browser.run("document.querySelector('#find').focus()")
    browser.send("Input.insertText", text="pool-09")
    wait(browser, "document.querySelector('#found').textContent === '10 of 100 pools'")
    browser.run("[...document.querySelectorAll('#pools button')].find((b) => b.textContent === 'pool-099').click()")
    wait(browser, "document.querySelector('#name').textContent === 'pool-099'")
    wait(
        browser,
        "document.querySelector('#found').textContent === '10 of 100 pools'",
    )
    assert browser.run("document.querySelectorAll('#pools tr[aria-current]').length") == 1
    assert browser.run("document.documentElement.scrollWidth") <= 1280
    assert not complaints(browser)


@contextmanager
def foreign_page(body: str) -> Iterator[str]:
    """A page of another origin on this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            """Keep silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()


def test_a_page_of_another_origin_can_neither_read_nor_resize(browser: Browser, address: str) -> None:
    """Not even with the token, by requests with and without a preflight, by a frame or a form."""
    show(browser, address)
    before = text(browser, "#audit")
    parts = urlsplit(address)
    base, token = f"http://{parts.netloc}", parts.fragment
    pin = '{"action":"pin","size":3,"minutes":1}'
    with foreign_page(f"<iframe src='{base}/' onload='this.dataset.loaded = 1'></iframe>") as other:
        browser.open(other)
        answers = browser.run(f"""Promise.all([
          fetch('{base}/api/pools', {{headers: {{Authorization: 'Bearer {token}'}}}}),
          fetch('{base}/api/pools'),
          fetch('{base}/'),
          fetch('{base}/api/pool?name=prime1m', {{method: 'POST', headers: {{Authorization: 'Bearer {token}'}},
            body: '{pin}'}}),
          fetch('{base}/api/pool?name=prime1m', {{method: 'POST', mode: 'no-cors', body: '{pin}'}})
        ].map((request) => request.then(async (r) => r.type + (await r.text()), () => 'failed')))""")
        assert answers == ["failed", "failed", "failed", "failed", "opaque"]
        assert (
            browser.run("(() => { try { return frames[0].document.title } catch { return 'closed' } })()") == "closed"
        )
    show(browser, address)
    assert text(browser, "#audit") == before


def test_ctrl_c_ends_a_server_whose_page_is_open_and_the_page_says_so(browser: Browser, tmp_path: Path) -> None:
    """It ends at once, within the patience of a drain: no page holds it up."""
    command = java("servers", "ServerMain", "--application", "prime1m")
    with (
        (tmp_path / "log").open("w") as log,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True) as server,
    ):
        assert server.stdout is not None
        show(browser, json.loads(server.stdout.readline())["console"])
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=300) in {0, 130}
        wait(browser, "document.querySelector('#state').textContent.startsWith('connection lost')")
    assert "Exception" not in (tmp_path / "log").read_text()


def test_a_page_that_takes_nothing_does_not_hold_up_another(browser: Browser, hundred: str) -> None:
    """With a small receive buffer, the streams of a hundred pools soon wait for these clients."""
    parts = urlsplit(hundred)
    assert parts.port is not None
    slow = []
    try:
        for _ in range(3):
            client = socket.socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", parts.port))
            slow.append(client)
            head = (
                f"GET /api/stream?name=pool-001 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {parts.fragment}"
            )
            client.sendall(f"{head}\r\n\r\n".encode())
        show(browser, hundred)
        windows = "document.querySelector('#now').textContent"
        before = browser.run(windows)
        wait(browser, f"{windows} !== {json.dumps(before)}")
    finally:
        for client in slow:
            client.close()
