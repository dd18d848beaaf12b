"""The table of integrations: every platform, in each direction, with what was tested against what.

It is made from the environments in `tests/hosts`. What has none, because it needs no package or could not be tested, stands here.
"""

from __future__ import annotations

from typing import Any, Final

from evaluators.reports.markdown import escape
from tests.hosts.environments import environments

_OPENING: Final = """# Integrations

What works with which platform, and how that is known. Every line is tested by a folder of `tests/hosts`, with the version
named here; other versions may work as well. The command `python -m tests.hosts` runs these tests. Guides:
[tracking](../integrations/tracking.md), [MLflow](../integrations/mlflow.md), [Phoenix](../integrations/phoenix.md) and
[a suite inside another harness](../integrations/harnesses.md).
"""
_HEAD: Final = "| platform | direction | how | tested against | what was tested | not tested |\n| --- | --- | --- | --- | --- | --- |"
_CLOSING: Final = """
## Not tested

No server of LangSmith, Langfuse, Braintrust, Opik, Comet, Weave, Agenta or Weights & Biases can be run by these tests. Neither is a hosted
MLflow (Databricks) or a hosted Phoenix asked. Where a line above says `offline`, the real library ran, and nothing left the machine.
"""


def page() -> str:
    """The page."""
    found = [
        (platform, environment.pinned.get(platform["package"], ""))
        for environment in environments().values()
        for platform in environment.platforms
    ]
    found.sort(key=lambda pair: (pair[0]["name"].casefold(), pair[0]["direction"]))
    return "\n".join([_OPENING, _HEAD, *(_line(*pair) for pair in found), _CLOSING])


def _line(platform: dict[str, Any], version: str) -> str:
    """A line of the table. Texts are Markdown as they stand, but for bars."""
    package = f"{escape(platform['package'])} {version}".strip()
    cells = (
        platform["name"], platform["direction"], platform["how"], f"{platform['against']}; {package}", platform["tested"],
        platform.get("untested", ""),
    )  # fmt: skip
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
