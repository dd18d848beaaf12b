"""A table of results for programs: rows as dicts, a DataFrame or an Arrow table, and a few lines to look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias, overload

from evaluators.model.issues import extra_hint, problem

Kind: TypeAlias = Literal["score", "passed", "text", "count", "value"]
"""What a column holds: numbers, yes or no, text, whole numbers, or any JSON value."""

_SHOWN: Final = 8
_WIDEST: Final = 30
_PANDAS: Final = {"score": "Float64", "passed": "boolean", "text": "string", "count": "Int64", "value": "object"}


class ResultTable(Sequence[Mapping[str, Any]]):
    """A table: rows with named columns. A missing cell is None."""

    def __init__(
        self,
        kinds: Mapping[str, Kind],
        rows: Iterable[Sequence[Any]] = (),
        columns: Sequence[Sequence[Any]] | None = None,
    ) -> None:
        """Takes the kind of each column by its name, and the cells: as `rows`, each in the order of the columns, or as `columns`."""
        self._kinds = dict(kinds)
        self._columns = (
            [list(column) for column in zip(*rows, strict=True)] if columns is None else [*map(list, columns)]
        ) or [[] for _ in kinds]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self._kinds)

    def column(self, name: str) -> list[Any]:
        """The values of a column. Raises KeyError where there is none of that name."""
        if name not in self._kinds:
            raise KeyError(name)
        return list(self._columns[self.columns.index(name)])

    def __len__(self) -> int:
        return len(self._columns[0]) if self._columns else 0

    @overload
    def __getitem__(self, index: int) -> Mapping[str, Any]: ...

    @overload
    def __getitem__(self, place: slice) -> ResultTable: ...

    def __getitem__(self, place: int | slice) -> Mapping[str, Any] | ResultTable:
        if isinstance(place, slice):
            return ResultTable(self._kinds, columns=[column[place] for column in self._columns])
        return {name: column[place] for name, column in zip(self._kinds, self._columns, strict=True)}

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return (self[index] for index in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ResultTable) and (self._kinds, self._columns) == (other._kinds, other._columns)

    __hash__ = None  # type: ignore[assignment]  # equal by its cells, as a list is, so no key of a dict

    def to_pandas(self, index: Any = None) -> Any:
        """The table as a `pandas.DataFrame`, with types that know what is missing. Raises Problems without pandas."""
        try:
            import pandas
        except ModuleNotFoundError:
            raise _missing_package("a DataFrame", "pandas", 'pip install "pandas"') from None
        series = {
            name: pandas.array(column, dtype=_PANDAS[kind])
            for (name, kind), column in zip(self._kinds.items(), self._columns, strict=True)
        }
        return pandas.DataFrame(series, index=index)

    def to_arrow(self) -> Any:
        """The table as a `pyarrow.Table`; a column of any JSON values holds them as JSON text. Raises Problems without pyarrow."""
        try:
            import pyarrow
        except ModuleNotFoundError:
            raise _missing_package("an Arrow table", "pyarrow", extra_hint("parquet")) from None
        types = {"score": pyarrow.float64(), "passed": pyarrow.bool_(), "count": pyarrow.int64()}
        arrays = [
            pyarrow.array(
                [_json_text(cell) for cell in column] if kind == "value" else column, types.get(kind, pyarrow.string())
            )
            for kind, column in zip(self._kinds.values(), self._columns, strict=True)
        ]
        return pyarrow.Table.from_arrays(arrays, names=list(self._kinds))

    def __repr__(self) -> str:
        """The first rows in columns of equal width, and how many there are in all."""
        lines = [self.columns, *(tuple(map(_cell_text, row)) for row in self._head())]
        widths = [min(max(map(len, column)), _WIDEST) for column in zip(*lines, strict=True)]
        texts = ["  ".join(_clip(cell).ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
        more = [f"… {len(self):,} rows"] if len(self) > _SHOWN else []
        return "\n".join(map(str.rstrip, [*texts, *more])) if len(self) else f"no rows of {', '.join(self.columns)}"

    def _repr_html_(self) -> str:
        """The first rows as an HTML table, for notebooks."""
        from html import escape

        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(_cell_text(cell))}</td>' for cell in row)}</tr>" for row in self._head()
        )
        more = f"<p>{len(self):,} rows</p>" if len(self) > _SHOWN else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"

    def _head(self) -> Iterator[tuple[Any, ...]]:
        """The cells of the first `_SHOWN` rows, row by row."""
        return zip(*(column[:_SHOWN] for column in self._columns), strict=True)


def _missing_package(what: str, package: str, hint: str) -> Exception:
    """The problem that `what`, such as a DataFrame, needs a package that is not installed."""
    return problem("missing-package", f"{what} needs a package that is not installed: {package}", hint=hint)


def _json_text(value: Any) -> str | None:
    """A cell as JSON text; None for an empty one."""
    import json

    return None if value is None else json.dumps(value, ensure_ascii=False, default=str)


def _cell_text(value: object) -> str:
    """A cell on one line, as tables are printed: empty for None, floats with four decimals."""
    if value is None:
        return ""
    text = f"{value:.4f}" if isinstance(value, float) else str(value)
    return " ".join(text.split())


def _clip(text: str) -> str:
    """The text in at most `_WIDEST` characters; a longer one ends in `…`."""
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"
