"""Where the shipped presets and the gallery are: beside the package in a checkout, inside it once installed."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def preset_folder() -> Path:
    """The folder of the presets, one YAML file each."""
    return _configs() / "presets"


def gallery_folder() -> Path:
    """The folder of the worked examples, one folder each."""
    return _configs() / "gallery"


def preset_names() -> tuple[str, ...]:
    """The names that `extends: preset:NAME` takes, sorted."""
    return tuple(sorted(file.stem for file in preset_folder().glob("*.yaml")))


def _configs() -> Path:
    installed = _PACKAGE / "configs"
    return installed if installed.is_dir() else _PACKAGE.parent / "configs"
