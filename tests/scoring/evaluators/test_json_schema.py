"""Files that hold JSON Schemas."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluators.model.settings import BadSettings
from evaluators.scoring.evaluators._schema_files import read_file


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"type" "object"}', "line 1, column 9: "),
        ('{\n  "type": "object",\n  "required": [,]\n}\n', "line 3, column 16: "),
        ('{\r\n  "type": nonsense\r\n}\r\n', "line 2, column 11: "),
    ],
)
def test_a_mistake_in_a_schema_file_is_told_by_line_and_column(tmp_path: Path, text: str, place: str) -> None:
    (tmp_path / "schema.json").write_bytes(text.encode())
    with pytest.raises(BadSettings) as found:
        read_file("schema.json", {"folder": tmp_path})
    message = found.value.details[0].message
    assert message.startswith(f'the schema file "schema.json" is not JSON: {place}')
    assert "character" not in message
