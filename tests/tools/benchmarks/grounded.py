"""`python -m tests.tools.benchmarks.grounded [--rows N] [--turns N]`: what it costs to look values up in their source.

A row has a text of some 5,000 characters, a mail with an invoice in one of four languages, and an output with its total, day, vendor and
article numbers, 3 in 100 of which are wrong. *Parsing* is what has to happen anyway: the product's own reader takes the two columns from
a CSV file, or from JSON lines, and each output is parsed. Everything is done in one process and measured in processor seconds, the
least of some turns: `found` looks up values that are all right, `looked up` those of which 3 in 100 are wrong, so that a near passage is
searched, too, and `chance` chooses some rows and looks their values up in each other's mails, once for the run.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import gc
import json
import math
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from evaluators import load
from evaluators.model.rows import Result
from evaluators.runs.row_samples import RowSampling
from evaluators.scoring.evaluators._evaluator import Sampled
from evaluators.scoring.values import dates
from evaluators.scoring.values.json_text import parse_all
from evaluators.testsets.byte_source import ByteSource
from evaluators.testsets.readers.csv import Csv
from evaluators.testsets.readers.jsonl import Jsonl

Chunk = tuple[list[Any], list[Any]]
CHARS: Final = 5_000
WRONG: Final = 0.03
FIELDS: Final = ["total", "issued_on", "vendor.name", "items[*].sku"]
SUITE: Final[Any] = {
    "evaluators": [{"grounded": {"source": "mail", "fields": FIELDS, "languages": ["en", "de", "fr", "es"]}}]
}

NAMES: Final = (
    "Nordlicht Werkzeuge", "Papeterie du Châtelet", "Almacenes Peña", "Brightwater Supply", "Kühn & Söhne", "Harbour Paper",
    "Ateliers Réunis", "Ferretería Núñez", "Granite Office", "Müller Lager", "Copperfield Tools", "Imprimerie Lefèvre",
)  # fmt: skip
FORMS: Final = {"en": "Ltd", "de": "GmbH", "fr": "SARL", "es": "S.L."}
GOODS: Final = {
    "en": "steel bolt, galvanised|copy paper A4, white|desk lamp with clamp|cable drum, outdoor|filing box, grey",
    "de": "Stahlschraube, verzinkt|Kopierpapier A4, weiß|Klemmleuchte für Tische|Kabeltrommel für außen|Ablagebox, grau",
    "fr": "boulon en acier, galvanisé|papier A4, blanc|lampe de bureau à pince|dévidoir pour l'extérieur|boîte d'archives, grise",
    "es": "tornillo de acero, galvanizado|papel A4, blanco|lámpara de mesa con pinza|carrete para exterior|caja de archivo, gris",
}  # fmt: skip
SAYINGS: Final = {
    "en": "thank you for your order of last week|the goods have left our warehouse and should be with you in {} working days|please "
    "quote number {} in every payment|our offices are closed for the holidays|the discount of {} % has been taken into account|for "
    "questions call +44 20 7946 0{}|a copy of the delivery note is attached to this message|prices are valid until further notice",
    "de": "vielen Dank für Ihre Bestellung der vergangenen Woche|die Ware hat unser Lager verlassen und müsste in {} Tagen bei Ihnen "
    "sein|bitte geben Sie bei jeder Zahlung die Nummer {} an|unser Büro ist über die Feiertage geschlossen|der Nachlass von {} % ist "
    "berücksichtigt|bei Rückfragen erreichen Sie uns unter +49 30 90{}|eine Kopie des Lieferscheins hängt an dieser Nachricht",
    "fr": "nous vous remercions de votre commande de la semaine dernière|la marchandise a quitté notre entrepôt et devrait arriver "
    "dans {} jours ouvrés|veuillez rappeler le numéro {} lors de chaque paiement|nos bureaux sont fermés pendant les fêtes|la remise "
    "de {} % a été prise en compte|pour toute question, appelez le +33 1 70 18 {}|une copie du bon de livraison est jointe au message",
    "es": "le agradecemos su pedido de la semana pasada|la mercancía ha salido de nuestro almacén y debería llegar en {} días|indique "
    "el número {} en cada pago|nuestras oficinas están cerradas durante las fiestas|el descuento de {} % ya está incluido|si tiene "
    "preguntas, llame al +34 91 123 {}|una copia del albarán va adjunta a este mensaje|los precios son válidos hasta nuevo aviso",
}  # fmt: skip
HEADS: Final = {
    "en": ("From", "Subject: invoice", "Dear customer,", "Net amount", "VAT", "Total", "Due"),
    "de": (
        "Von",
        "Betreff: Rechnung",
        "Sehr geehrte Damen und Herren,",
        "Nettobetrag",
        "MwSt.",
        "Gesamtbetrag",
        "Fällig am",
    ),
    "fr": ("De", "Objet : facture", "Madame, Monsieur,", "Montant HT", "TVA", "Total TTC", "Échéance"),
    "es": ("De", "Asunto: factura", "Estimados señores:", "Base imponible", "IVA", "Total", "Vencimiento"),
}
MARKS: Final = {"en": (",", "."), "de": (".", ","), "fr": ("\u202f", ","), "es": (".", ",")}


def rows(count: int, wrong: float = WRONG, seed: int = 1) -> Iterator[dict[str, Any]]:
    """The rows, the same ones every time: an id, a mail and an output."""
    draw, mistakes = random.Random(seed), random.Random(seed + 1)
    for number in range(count):
        mail, output = _mail(draw)
        for item in (output, output["vendor"], *output["items"]):
            for key, value in item.items():
                if isinstance(value, str | float) and mistakes.random() < wrong:
                    item[key] = _other(value, mistakes)
        yield {"id": str(number), "mail": mail, "output": json.dumps(output, ensure_ascii=False)}


def _other(value: Any, draw: random.Random) -> Any:
    if isinstance(value, float):
        return round(value + draw.uniform(1, 500), 2)
    if value[:4].isdigit():
        return (datetime.date.fromisoformat(value) + datetime.timedelta(days=draw.randint(400, 900))).isoformat()
    return f"{draw.choice(NAMES)} Holding" if " " in value else f"{value[:3]}{draw.randint(10_000, 99_999)}-X"


def _mail(draw: random.Random) -> tuple[str, dict[str, Any]]:
    language = draw.choices(("en", "de", "fr", "es"), (4, 2, 2, 2))[0]
    sender, subject, greeting, net, tax, total, due = HEADS[language]
    goods, vendor = GOODS[language].split("|"), f"{draw.choice(NAMES)} {FORMS[language]}"
    day = datetime.date(2019, 1, 1) + datetime.timedelta(days=draw.randrange(2_500))
    items, lines, sum_ = [], [], 0
    for at in range(draw.randint(3, 6)):
        sku, count, cents = _sku(draw), draw.randint(1, 40), draw.randint(150, 90_000)
        sum_ += count * cents
        items.append({"sku": sku})
        columns = (sku, draw.choice(goods), str(count), _money(cents, language), _money(count * cents, language))
        lines.append(f"{at + 1:>2}  " + "  ".join(columns))
    gross = sum_ + sum_ * 19 // 100
    parts = [
        f"{sender}: {vendor} <billing@{draw.randrange(900)}.example>", f"{subject} {draw.randint(10**5, 10**6)}", greeting,
        _prose(draw, language, 900), _day(day, language, draw), *lines, f"{net}  {_money(sum_, language)} EUR",
        f"{tax} 19 %  {_money(gross - sum_, language)} EUR", f"{total}: {_money(gross, language)} EUR",
        f"{due} {_day(day + datetime.timedelta(days=30), language, draw)}",
        f"IBAN DE{draw.randint(10, 99)} {' '.join(f'{draw.randrange(10_000):04}' for _ in range(4))} 00",
    ]  # fmt: skip
    while sum(map(len, parts)) < CHARS - 300:
        earlier = day - datetime.timedelta(days=draw.randint(1, 60))
        parts += [f"> {_day(earlier, language, draw)}, {draw.randrange(24):02}:{draw.randrange(60):02}"]
        parts += [f"> {_prose(draw, language, 400)}"]
    output = {"total": gross / 100, "issued_on": day.isoformat(), "vendor": {"name": vendor}, "items": items}
    return "\n".join(parts), output


def _prose(draw: random.Random, language: str, chars: int) -> str:
    said = ""
    while len(said) < chars:
        said += draw.choice(SAYINGS[language].split("|")).format(draw.randint(2, 9_999)).capitalize() + ". "
    return said


def _sku(draw: random.Random) -> str:
    return f"{''.join(draw.choices('ABCDEFGHKLMNPRSTUVWX', k=2))}-{draw.randint(1_000, 99_999)}"


def _money(cents: int, language: str) -> str:
    thousands, decimal = MARKS[language]
    return f"{cents // 100:,}".replace(",", thousands) + f"{decimal}{cents % 100:02}"


def _day(day: datetime.date, language: str, draw: random.Random) -> str:
    month = dates.MONTHS_IN[language][day.month - 1]
    named = {"en": f"{month} {day.day}, {day.year}", "es": f"{day.day} de {month} de {day.year}"}
    plain = "{:%d/%m/%Y}" if language != "de" else "{:%d.%m.%Y}"
    return draw.choice(
        [plain.format(day), plain.format(day), named.get(language, f"{day.day}. {month} {day.year}"), f"{day}"]
    )


def write(folder: Path, count: int, wrong: float = WRONG) -> dict[str, Path]:
    """The rows as JSON lines and as CSV, by ending."""
    files = {ending: folder / f"rows_{wrong}.{ending}" for ending in ("jsonl", "csv")}
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows(count, wrong)]
    files["jsonl"].write_text("".join(lines), encoding="utf-8")
    with files["csv"].open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["id", "mail", "output"])
        writer.writeheader()
        writer.writerows(rows(count, wrong))
    return files


def read(file: Path) -> Iterator[Chunk]:
    """The parsed outputs and the mails, chunk by chunk."""
    table = (Csv if file.suffix == ".csv" else Jsonl).open(ByteSource(str(file), file.name))
    for split in table.splits():
        for chunk in table.read(split, ("output", "mail")):
            yield parse_all(chunk.columns["output"], lambda text: text), list(chunk.columns["mail"])


def seconds(work: Callable[[], object]) -> float:
    """Processor seconds that some work takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def measured(count: int, turns: int) -> dict[str, float]:
    """The figures by name."""
    settings = grounded()
    with tempfile.TemporaryDirectory() as folder:
        files = write(Path(folder), count)
        chunks, all_right = list(read(files["jsonl"])), list(read(write(Path(folder), count, 0.0)["jsonl"]))
        verdicts = [settings.check().verdicts(*chunk) for chunk in chunks]
        works: dict[str, Callable[[], object]] = {
            "parsing CSV": lambda: all(read(files["csv"])),
            "parsing JSON lines": lambda: all(read(files["jsonl"])),
            "found": lambda: [settings.check().verdicts(*chunk) for chunk in all_right],
            "looked up": lambda: [settings.check().verdicts(*chunk) for chunk in chunks],
            "chance": lambda: _chance(settings.sampled_metric(), verdicts, chunks),
        }
        least = dict.fromkeys(works, math.inf)
        for _ in range(turns):
            for name, work in works.items():
                least[name] = min(least[name], seconds(work))
    chars = sum(len(mail) for _, mails in chunks for mail in mails)
    least["looked up and chance"] = least["looked up"] + least["chance"]
    figures = {f"{name}, ns per character": spent / chars * 1e9 for name, spent in least.items()}
    for parsing in ("parsing CSV", "parsing JSON lines"):
        figures |= {f"{name} / {parsing}": least[name] / least[parsing] for name in least if "parsing" not in name}
    return figures


def grounded() -> Any:
    """The evaluator that is measured."""
    return load(SUITE).lines[0].settings


def _chance(sampled: Sampled, verdicts: Sequence[Sequence[Result]], chunks: Sequence[Chunk]) -> None:
    """Chooses the rows of the sample, and looks their values up in each other's mails."""
    sampling = RowSampling(sampled)
    for each, chunk in zip(verdicts, chunks, strict=True):
        sampling.add(each, chunk)
    list(sampled.measure(list(sampling.sample().rows.values())))


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.benchmarks.grounded")
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=5)
    given = parser.parse_args()
    gc.disable()
    for name, figure in measured(given.rows, given.turns).items():
        print(f"{name:<45} {figure:8.2f}", flush=True)


if __name__ == "__main__":
    main()
