"""Plugs of a socket: found in the socket's folder and in installed entry points, never listed by hand.

A socket is a package whose modules each hold one plug, named after its module (`evaluators/scoring/evaluators/exact_match.py` holds
`exact_match`). Plugs that are small and alike may share a module, which the package names in `TOGETHER`; there each is the
class that its name spells (`string_url` is `StringUrl`). Other distributions add plugs through the entry point group of the
same dotted name; a program adds them with `register`. Neither may take the name of a plug that ships with the package. A
plug is imported when it is used. What an entry point names may register itself while it is imported: that is the same plug.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pkgutil import iter_modules, resolve_name
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from evaluators.model.issues import Issue, Problems, problem

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Plug = TypeVar("Plug")


_SOCKETS: Final[dict[str, Socket[Any]]] = {}


class Socket(Generic[Plug]):
    """One folder of plugs that share a contract."""

    def __init__(self, package: str, contract: type[Plug], noun: str, *, plug_maker: str | None = None) -> None:
        """`noun`: what messages call a plug. `plug_maker`: for entry points that give no plug class, the function (`module:function`)
        that makes one from the entry point's name and what it loads. Adds the socket to the list of all, under its package."""
        self.package = package
        self.contract = contract
        self.noun = noun
        self.plug_maker = plug_maker
        self._registered: dict[str, type[Plug]] = {}
        self._found: dict[str, type[Plug]] = {}
        _SOCKETS[package] = self

    def shipped_names(self) -> tuple[str, ...]:
        """The names of the plugs that come with the package, sorted."""
        return modules_of(self.package)

    def names(self) -> tuple[str, ...]:
        """Every name that `find` knows, sorted."""
        return tuple(sorted({*self.shipped_names(), *_entry_points_of(self.package), *self._registered}))

    def __contains__(self, name: object) -> bool:
        """Whether there is a plug of that name. Names that ship are looked at first: looking for installed packages is slow."""
        return name in self.shipped_names() or name in self.names()

    def find(self, name: str) -> type[Plug]:
        """The plug of that name, imported when it is first asked for: a registered one before one that ships or is installed.

        Raises Problems (config), with a suggestion, when there is none, and for an installed one that cannot be used.
        """
        if name in self._registered:
            return self._registered[name]
        if name in self.shipped_names():
            return self.shipped_plug(name)
        if name in (installed := _entry_points_of(self.package)):
            if name not in self._found:
                self._load(name, installed[name])
            return self._found[name]
        raise problem(
            "unknown-name",
            f'unknown {self.noun} "{name}"',
            hint=suggestion(name, self.names()) or f"known: {', '.join(self.names())}",
        )

    def broken_plugs(self) -> dict[str, Issue]:
        """The problem of each installed plug that cannot be used, by its name. Loads them all."""
        problems = {}
        for name in _entry_points_of(self.package):
            try:
                self.find(name)
            except Problems as error:
                problems[name] = error.issues[0]
        return problems

    def _load(self, name: str, point: EntryPoint) -> None:
        """Loads the plug of an entry point and keeps it under `name`, unless it has registered itself while it was loaded. Raises Problems
        where it cannot be used."""
        try:
            plug = point.load()
            if name not in self._found:  # it has not registered itself
                self._found[name] = self._check_plug(
                    resolve_name(self.plug_maker)(name, plug) if self.plug_maker else plug, name
                )
        except Exception as error:  # another distribution's code: whatever it raises is what is wrong with it
            text = error.issues[0].message if isinstance(error, Problems) else f"{type(error).__name__}: {error}"
            package = f' of the package "{point.dist.name}"' if point.dist else ""
            message = f'the {self.noun} "{name}"{package} cannot be used: {text}'
            entry = f'its entry point is {name} = "{point.value}" in the group {self.package}'
            raise problem("bad-plug", message, hint=f"{entry}: mend it, or uninstall the package") from error

    def shipped_plug(self, name: str) -> type[Plug]:
        """The plug of that name that comes with the package, even where another one has replaced it; imported when first asked for."""
        if name not in self._found:
            self._found[name] = _plug_of_module(self.package, name, self.contract)
        return self._found[name]

    def is_replaced(self, name: str) -> bool:
        """Whether a plug of the program's own has taken the place of one that ships."""
        return name in self._registered and name in self.shipped_names()

    def register(self, name: str, plug: type[Plug], *, overwrite: bool = False, replaceable: bool = False) -> None:
        """Adds a plug for this process. `replaceable`: with `overwrite` it may replace one that ships. A plug of an installed package that
        registers itself under the name of its entry point is kept as the installed one, not as one of the program.

        Raises Problems (config) when the name ships with the package, or is taken and `overwrite` is not asked for.
        """
        ships = name in self.shipped_names()
        if self._registers_itself(name, plug) and (overwrite or name not in self._found):
            self._found[name] = self._check_plug(plug, name)
            return
        if ships and not replaceable:
            raise problem("shadows-built-in", f'{self.noun} "{name}" ships with the package and cannot be replaced')
        if not overwrite and name in self.names():
            how = "ships with the package" if ships and name not in self._registered else "is already registered"
            raise problem("name-taken", f'{self.noun} "{name}" {how}', hint="overwrite=True replaces it")
        self._registered[name] = self._check_plug(plug, name)

    def _registers_itself(self, name: str, plug: type[Plug]) -> bool:
        """Whether the package that the plug is from has an entry point of that name: then the plug is the one that it names."""
        point = None if name in self.shipped_names() else _entry_points_of(self.package).get(name)
        return point is not None and point.module.partition(".")[0] == plug.__module__.partition(".")[0]

    def _check_plug(self, plug: object, name: str) -> type[Plug]:
        """The plug, where it is a class of the contract. Raises Problems otherwise; `name` is what the message calls it."""
        if inspect.isclass(plug) and issubclass(plug, self.contract):
            return plug
        raise problem("not-a-plug", f'"{name}" is not a {self.noun}: it must subclass {self.contract.__name__}')


def registered_plugs() -> dict[str, dict[str, type[Any]]]:
    """The plugs that this program has registered, by name, by the package of their socket."""
    return {package: dict(socket._registered) for package, socket in _SOCKETS.items() if socket._registered}


@contextmanager
def plugs_in_place(plugs: Mapping[str, Mapping[str, type[Any]]]) -> Iterator[None]:
    """Within the `with` block, `plugs` (what `registered_plugs` gave in another process) are the registered plugs of this process."""
    before = {package: socket._registered for package, socket in _SOCKETS.items()}
    try:
        for package, socket in _SOCKETS.items():
            socket._registered = dict(plugs.get(package, {}))
        yield
    finally:
        for package, socket in _SOCKETS.items():
            socket._registered = before.get(package, {})


@cache
def modules_of(package: str) -> tuple[str, ...]:
    """The names of the plugs in a package's folder, sorted."""
    folder = importlib.import_module(package).__path__
    alone = [module.name for module in iter_modules(folder) if not module.name.startswith("_")]
    return tuple(sorted([*alone, *_modules_of_shared_plugs(package)]))


@cache
def _modules_of_shared_plugs(package: str) -> dict[str, str]:
    """The names of the plugs that share a module with others, each with its module."""
    shared: dict[str, tuple[str, ...]] = vars(importlib.import_module(package)).get("TOGETHER", {})
    return {name: module for module, names in shared.items() for name in names}


@cache
def _entry_points_of(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name, as installed packages declare them; those that a plug of this package hides are left out."""
    from importlib.metadata import entry_points  # slow to import, and needed for names that do not ship only

    return {point.name: point for point in entry_points(group=group) if point.name not in modules_of(group)}


def _plug_of_module(package: str, name: str, contract: type[Plug]) -> type[Plug]:
    """The plug of that name in a package: the one class of the contract in the module called like it. In a module that several plugs
    share, it is the class called like the plug. Raises TypeError where there is none, or several."""
    shared = _modules_of_shared_plugs(package).get(name)
    module = importlib.import_module(f"{package}.{shared or name}")
    plugs = [
        value
        for value in vars(module).values()
        if inspect.isclass(value) and issubclass(value, contract) and value.__module__ == module.__name__
        if not shared or value.__name__ == name.title().replace("_", "")
    ]
    if len(plugs) != 1:
        raise TypeError(f'{module.__name__} must define one {contract.__name__} "{name}", found {len(plugs)}')
    return plugs[0]


def plug_list_text(socket: Socket[Any], names: Iterable[str], head: str) -> str:
    """The text of a list: `head`, and below it a line for each name with the first line of the plug's docstring."""
    lines = (f"    {name}: {(socket.find(name).__doc__ or '').partition(chr(10))[0]}" for name in names)
    return "\n".join([head, *lines])


def nearest(word: str, known: Iterable[str], least: float = 0.6) -> str | None:
    """The known word closest to `word`, or None when none is at least so alike."""
    from difflib import get_close_matches

    by_folded = {name.casefold(): name for name in known}
    close = get_close_matches(word.casefold(), by_folded, n=1, cutoff=least)
    return by_folded[close[0]] if close else None


def suggestion(word: str, known: Iterable[str]) -> str | None:
    """The hint `did you mean "x"?` with the known word that is closest; None when none is close."""
    near = nearest(word, known)
    return f'did you mean "{near}"?' if near else None
