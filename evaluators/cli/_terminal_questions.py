"""Questions about data, asked on a terminal."""

from __future__ import annotations

import click

from evaluators.fields.inference.questions import InitQuestion, Likeliest
from evaluators.reports.display import visible


class TerminalAsker(Likeliest):
    """Answers questions by asking, where somebody is there to answer; otherwise with the likeliest answer."""

    def __call__(self, question: InitQuestion) -> str:
        if not self.asks:
            return super().__call__(question)
        click.echo(visible(question.text))
        for number, answer in enumerate(question.answers, 1):
            said = question.hints[number - 1] if question.hints else ""
            hint = f"  ({said})" if said else ""
            click.echo(visible(f"  {number}  {answer}{hint}"))
        number = click.prompt("Number", type=click.IntRange(1, len(question.answers)), default=1)
        return question.answers[number - 1]
