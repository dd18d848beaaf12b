"""One file that a browser opens from a disk, an attachment or a server, and that asks the network for nothing.

The content policy allows this script and this style, by their hashes, and nothing else; where browsers know Trusted
Types, it also keeps the script from making markup out of text. Data is packed with zlib and spelled in base64, so that no
byte of it can end an element. There is no clock in it: the same run gives the same file.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from evaluators.reports.html.rows import Encoded
from evaluators.scoring.values.json_text import compact

_LEVEL: Final = 6


def page(payload: Encoded, lines: Mapping[str, bytes] = {}) -> str:
    """The whole HTML file. `payload` is what its script shows; `lines` are packed lines of a run folder, by the names of the elements that
    hold them."""
    script, style = _resource_text("report.js"), _resource_text("report.css")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    return "".join(
        (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            '<meta name="referrer" content="no-referrer">\n<title>Evaluation report</title>\n',
            f"<style>{style}</style>\n</head>\n<body>\n",
            "<noscript><p>This report is drawn by a script, and scripts are turned off. It asks the network for nothing.</p>",
            '</noscript>\n<div id="report"><p class="waiting" role="status">Opening the report…</p></div>\n',
            _data_element("head", zlib.compress(compact(payload), _LEVEL)),
            *(_data_element(name, packed) for name, packed in lines.items()),
            f"<script>{script}</script>\n</body>\n</html>\n",
        )
    )


def _data_element(name: str, packed: bytes) -> str:
    """An element called `name` that holds packed data and that the browser does not run."""
    return f'<script type="text/plain" id="{name}">{base64.b64encode(packed).decode("ascii")}</script>\n'


def _hash(text: str) -> str:
    """The hash of a script or a style, as the content policy names it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}"


@cache
def _resource_text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
