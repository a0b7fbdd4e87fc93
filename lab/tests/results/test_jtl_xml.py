"""JMeter XML in any layout that its grammar allows."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

import pytest

from poolkeeper import results
from poolkeeper.results.errors import FileError

if TYPE_CHECKING:
    from pathlib import Path

LABELS = ('GET /a, "fast"', "Suche & <Kauf>", "größer", "tab\there", "it's")
SAMPLES = [
    {
        "t": str(100 + 7 * place % 400),
        "it": "0",
        "lt": str(90 + place % 10),
        "ct": "3",
        "ts": str(1795265354915 + 40 * place),
        "s": "true" if place % 7 else "false",
        "lb": LABELS[place % len(LABELS)],
        "rc": "200" if place % 7 else "500",
        "rm": "OK",
        "tn": f"Shop Users 1-{place % 3 + 1}",
        "by": "1844",
        "sby": "119",
        "ng": "3",
        "na": "3",
    }
    for place in range(60)
]


def attribute(text: str, quote: str, *, decimal: bool) -> str:
    found = escape(text, {quote: "&quot;" if quote == '"' else "&apos;", "\t": "&#x9;"})
    return "".join(f"&#{ord(letter)};" if decimal and ord(letter) > 127 else letter for letter in found)


def element(random_: random.Random, sample: dict[str, str], nested: str) -> str:
    """A sample as JMeter could write it: its attributes in any order, its parts inside it."""
    names = list(sample)
    random_.shuffle(names)
    quote = random_.choice("\"'")
    space = random_.choice([" ", "\n    ", "  "])
    equals = random_.choice(["=", " = "])
    decimal = random_.random() < 0.5
    text = space.join(
        f"{name}{equals}{quote}{attribute(sample[name], quote, decimal=decimal)}{quote}" for name in names
    )
    name = random_.choice(["httpSample", "sample"])
    if not nested and random_.random() < 0.5:
        return f"<{name} {text}/>"
    body = "<responseData class='java.lang.String'>&lt;sample t=&quot;1&quot;/&gt;<![CDATA[<sample/>]]></responseData>"
    return f"<{name}{space}{text} >{body}<!-- a comment -->{nested}</{name}>"


def document(seed: int) -> str:
    """The same samples in another layout."""
    random_ = random.Random(seed)
    between = random_.choice(["", "\n", "\n\n   ", " ", "\r\n"])
    parts = []
    for sample in SAMPLES:
        inner = element(random_, SAMPLES[0] | {"lb": "part"}, "") if random_.random() < 0.3 else ""
        parts.append(element(random_, sample, inner))
    head = random_.choice(
        ['<?xml version="1.0" encoding="UTF-8"?>', "<?xml version='1.0'?>\n<!-- made by hand -->\n", ""]
    )
    return f'{head}<testResults version="1.2">{between}{between.join(parts)}{between}</testResults>{between}'


def rows(path: Path) -> list[dict[str, object]]:
    found = results.read(path)
    columns = [name for name in found.columns if name != "file"]
    return found.frame.select(columns).collect().to_dicts()


@pytest.mark.parametrize("seed", range(12))
def test_every_layout_gives_the_same_samples(tmp_path: Path, seed: int) -> None:
    file = tmp_path / "results.xml"
    file.write_text(document(seed), encoding="utf-8", newline="")
    found = rows(file)
    assert [row["label"] for row in found] == [sample["lb"] for sample in SAMPLES]
    assert [row["response_ns"] for row in found] == [int(sample["t"]) * 10**6 for sample in SAMPLES]
    assert [row["start_ns"] for row in found] == [int(sample["ts"]) * 10**6 for sample in SAMPLES]
    assert [row["ok"] for row in found] == [sample["s"] == "true" for sample in SAMPLES]
    assert {row["users"] for row in found} == {3}
    assert {row["group"] for row in found} == {"Shop Users"}
    assert not {finding.kind for finding in results.read(file).warnings} & {"cut off"}


@pytest.mark.parametrize(("encoding", "declared"), [("latin-1", "ISO-8859-1"), ("utf-16", "UTF-16")])
def test_the_encoding_is_that_of_the_declaration(tmp_path: Path, encoding: str, declared: str) -> None:
    file = tmp_path / "results.xml"
    text = document(3).partition("<testResults")[2]
    file.write_bytes(f'<?xml version="1.0" encoding="{declared}"?><testResults{text}'.encode(encoding))
    assert rows(file)[2]["label"] == "größer"


def test_characters_that_xml_does_not_have_are_replaced(tmp_path: Path) -> None:
    file = tmp_path / "results.xml"
    text = document(1).replace("größer", "gr&#x0;&#xFFFF;\x01", 1)
    file.write_text(text.replace("größer", "gr&#0;"), encoding="utf-8")
    assert len(rows(file)) == 60


def test_entities_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "results.xml"
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>\n'
    file.write_text(bomb + document(2).partition("?>")[2].replace("OK", "&b;"), encoding="utf-8")
    with pytest.raises(FileError, match="line 1: declares an entity"):
        rows(file)


def test_what_is_no_xml_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "results.xml"
    file.write_text('<testResults version="1.2">\n<sample t="1" ts="2" s="true"/>\n</wrong>\n' + " " * 100, "utf-8")
    with pytest.raises(FileError, match="line 3: is not XML: mismatched tag"):
        rows(file)


def test_many_blocks_lose_and_double_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("poolkeeper.results.source._BLOCK", 37)
    file = tmp_path / "results.xml"
    file.write_text(document(5), encoding="utf-8")
    assert len(rows(file)) == 60
    assert not {finding.kind for finding in results.read(file).warnings} & {"cut off"}


def written(child: str) -> str:
    """The samples as JMeter writes them: an element a line, double quotes, one order of attributes."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<testResults version="1.2">']
    for sample in SAMPLES:
        text = " ".join(f'{name}="{attribute(value, chr(34), decimal=False)}"' for name, value in sample.items())
        lines += [f"<httpSample {text}>", child, "</httpSample>"] if child else [f"<httpSample {text}/>"]
    return "\n".join([*lines, "</testResults>", ""])


LAYOUTS = {
    "as JMeter writes it": lambda text: text,
    "one line": lambda text: text.replace("\n", " "),
    "two samples a line": lambda text: text.replace("\n<httpSample", "<httpSample", 30),
    "a comment with a sample": lambda text: text.replace("</testResults>", '<!-- <sample t="1"/> --></testResults>'),
    "CDATA with a sample": lambda text: text.replace("</testResults>", "<x><![CDATA[<sample ]]></x></testResults>"),
    "an instruction with a sample": lambda text: text.replace("</testResults>", "<?x <sample t='1'/> ?></testResults>"),
    "one sample in single quotes": lambda text: text.replace('t="142"', "t='142'"),
    "a > in a value": lambda text: text.replace('rm="OK"', 'rm="O>K"', 3),
    "a line end in a value": lambda text: text.replace('rm="OK"', 'rm="O\nK"', 3),
    "blanks around =": lambda text: text.replace('rc="200"', 'rc = "200"', 2),
    "attributes missing": lambda text: text.replace(' rc="200"', "", 5).replace(' tn="', ' ab="', 1),
    "references in numbers": lambda text: text.replace('by="1844"', 'by="&#49;844"', 4).replace('"142"', '"&#x31;42"'),
    "transactions": lambda text: text.replace('rm="OK"', 'rm="Number of samples in transaction : 3"', 5),
    "tags that begin alike": lambda text: text.replace("</testResults>", "<samples/><sampleX t='1'/></testResults>"),
}


@pytest.mark.parametrize("block", [1 << 20, 997])
@pytest.mark.parametrize("child", ["", "<a>&gt;</a>\n<sample t='1' ts='2' s='true'/>"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_samples_are_those_of_a_tree_of_the_whole_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str, child: str, block: int
) -> None:
    monkeypatch.setattr("poolkeeper.results.source._BLOCK", block)
    file = tmp_path / "results.xml"
    file.write_text(LAYOUTS[layout](written(child)), encoding="utf-8")
    found = [
        (row["start_ns"], row["response_ns"], row["label"], row["message"], row["code"], row["bytes"])
        for row in rows(file)
    ]
    outermost = [element for element in ET.parse(file).getroot() if element.tag in {"httpSample", "sample"}]  # noqa: S314 - made above
    assert found == [
        (
            int(element.attrib["ts"]) * 10**6,
            int(element.attrib["t"]) * 10**6,
            element.attrib["lb"],
            element.attrib["rm"],
            element.attrib.get("rc", ""),
            int(element.attrib["by"]),
        )
        for element in outermost
    ]
    assert len(found) == len(SAMPLES)


CLASS = "com.acme.MySample"
ELEMENTS = {"t": "elapsedTime", "ts": "startTime", "s": "success", "lb": "label", "rc": "responseCode"}
ELEMENTS |= {"rm": "responseMessage", "tn": "threadName", "by": "bytes", "na": "allThreads", "ng": "groupThreads"}


def of_plugin(sample: dict[str, str], form: str) -> str:
    """A sample whose element has the name of a class, with attributes or with elements in place of them."""
    if form == "attributes":
        return f"<{CLASS} {' '.join(f'{name}={chr(34)}{escape(value)}{chr(34)}' for name, value in sample.items())}/>"
    part = "<subResults><httpSample t='1' ts='2' s='true' lb='part'/></subResults>"
    config = "<saveConfig><time>true</time><label>true</label><success>true</success></saveConfig>"
    fields = "".join(f"<{name}>{escape(sample[key])}</{name}>" for key, name in ELEMENTS.items() if key in sample)
    return f"<{CLASS}>\n  {config}{part}<responseData>PHQ+</responseData>\n  {fields}\n</{CLASS}>"


@pytest.mark.parametrize("form", ["attributes", "elements"])
@pytest.mark.parametrize("block", [1 << 20, 37])
def test_samples_of_plugins_have_the_names_of_their_classes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int, form: str
) -> None:
    monkeypatch.setattr("poolkeeper.results.source._BLOCK", block)
    lines = [
        of_plugin(sample | {"lb": "Suche & <Kauf>"}, form) if place % 2 else element(random.Random(place), sample, "")
        for place, sample in enumerate(SAMPLES)
    ]
    file = tmp_path / "results.xml"
    file.write_text(f"<testResults>\n{chr(10).join(lines)}\n</testResults>", encoding="utf-8")
    found = rows(file)
    assert [row["start_ns"] for row in found] == [int(sample["ts"]) * 10**6 for sample in SAMPLES]
    assert [row["response_ns"] for row in found] == [int(sample["t"]) * 10**6 for sample in SAMPLES]
    assert [row["ok"] for row in found] == [sample["s"] == "true" for sample in SAMPLES]
    assert {row["label"] for row in found[1::2]} == {"Suche & <Kauf>"}
    assert {(row["users"], row["group"], row["bytes"]) for row in found} == {(3, "Shop Users", 1844)}
    assert "not read" not in {finding.kind for finding in results.read(file).warnings}


def test_a_plugin_that_counts_several_samples_is_summed_up(tmp_path: Path) -> None:
    file = tmp_path / "results.xml"
    fields = "<startTime>1795265354915</startTime><elapsedTime>90</elapsedTime><success>true</success>"
    several = f"<{CLASS}>{fields}<sampleCount>3</sampleCount></{CLASS}>"
    file.write_text(f"<testResults>{several}</testResults>", encoding="utf-8")
    assert [stated.count for stated in results.read(file).summaries] == [3]


def test_elements_that_are_no_samples_are_told(tmp_path: Path) -> None:
    file = tmp_path / "results.xml"
    others = "<a lb='x'/><a><label>x</label></a><b/>"
    file.write_text(written("").replace("</testResults>", f"{others}</testResults>"), encoding="utf-8")
    (words,) = [str(finding) for finding in results.read(file).warnings if finding.kind == "not read"]
    assert words.endswith("without their time and start: <a> 2 and <b> 1 were not read")
    file.write_text(f"<testResults>{others}</testResults>", encoding="utf-8")
    with pytest.raises(FileError, match=r"has no samples, only elements below testResults.*: <a> 2 and <b> 1$"):
        rows(file)


def test_elements_around_samples_are_no_loss(tmp_path: Path) -> None:
    file = tmp_path / "results.xml"
    text = written("").replace('<testResults version="1.2">', "<testResults><part>")
    file.write_text(text.replace("</testResults>", "</part></testResults>"), encoding="utf-8")
    assert len(rows(file)) == len(SAMPLES)
    assert "not read" not in {finding.kind for finding in results.read(file).warnings}
