"""What judges cost: prices of the user's, exact sums, a budget of money, and costs that nobody knows."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluators
from evaluators.model.issues import Problems
from evaluators.reports.run_page import run_page
from evaluators.scoring.judges.judge import amount_text
from evaluators.scoring.judges.prices import UNIT, read_prices
from tests.kit import cli, read_yaml, write_rows
from tests.scoring.judges.chat_server import ChatServer, Reply, verdicts

CASES = read_yaml(Path(__file__).with_name("prices.yaml"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["it"])
def test_a_request_costs_what_the_prices_say(case: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text(json.dumps(case["prices"]), encoding="utf-8")
    if "refused" in case:
        with pytest.raises(Problems, match=case["refused"]):
            read_prices(file)
        return
    cost = read_prices(file).cost_of("m", tuple(case["tokens"]), case.get("cached", 0))
    assert cost == (None if case["cost"] is None else int(Decimal(case["cost"]) * UNIT))


@pytest.mark.parametrize(("text", "why"), [(None, "no such file"), ("a: [", "not YAML"), ("\udcff", "utf-8")])
def test_a_file_of_prices_that_cannot_be_read_is_named(tmp_path: Path, text: str | None, why: str) -> None:
    file = tmp_path / "prices.yaml"
    if text is not None:
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(Problems, match=why) as problems:
        read_prices(file)
    assert problems.value.issues[0].where == str(file)


def test_nothing_is_shown_of_a_file_that_is_not_called_like_prices(tmp_path: Path) -> None:
    secret = tmp_path / "shadow"
    secret.write_text("root:hidden: 1\n", encoding="utf-8")
    link = tmp_path / "prices.yaml"
    link.symlink_to(secret)
    for file in (secret, link):
        with pytest.raises(Problems, match="nothing of it is shown") as problems:
            read_prices(file)
        assert "hidden" not in str(problems.value)


_PRICE = st.decimals(0, 1000, places=6)
_TOKENS = st.integers(0, 10**7)


@given(_PRICE, _PRICE, _TOKENS, _TOKENS)
def test_costs_are_exact(
    tmp_path_factory: pytest.TempPathFactory, one: Decimal, other: Decimal, sent: int, back: int
) -> None:
    file = tmp_path_factory.mktemp("prices") / "prices.yaml"
    file.write_text(f"currency: USD\nmodels:\n  m: {{input: {one:f}, output: {other:f}}}\n", encoding="utf-8")
    prices = read_prices(file)
    cost = prices.cost_of("m", (sent, back))
    assert cost is not None
    assert Fraction(amount_text(cost)) == (sent * Fraction(one) + back * Fraction(other)) / 10**6
    assert cost == (prices.cost_of("m", (sent, 0)) or 0) + (prices.cost_of("m", (0, back)) or 0)


pytest.importorskip("openai")

PRICES = "currency: USD\nmodels:\n  m: {input: 0.15, cached_input: 0.05, output: 0.6}\n"
ROWS = [{"id": name, "output": f"Thank you, {name}.", "team": name} for name in "abcd"]
TONE: dict[str, Any] = {"llm_judge": {"name": "tone", "rubric": "Polite?"}}


def priced(server: ChatServer, folder: Path, line: dict[str, Any] = TONE, prices: str = PRICES, **more: Any) -> Any:
    (folder / "prices.yaml").write_text(prices, encoding="utf-8")
    write_rows(folder / "rows.jsonl", ROWS)
    judge = {
        "base_url": server.url,
        "model": "m",
        "cache": False,
        "retries": 2,
        "concurrency": 1,
        "prices": "prices.yaml",
    }
    asked = {"openai_compatible": {**judge, **more.pop("judge", {})}}
    suite = {"judge": asked, "evaluators": [line], **more}
    (folder / "suite.yaml").write_text(json.dumps(suite), encoding="utf-8")
    return evaluators.load(folder / "suite.yaml")


def scored(server: ChatServer, folder: Path, *args: Any, **more: Any) -> evaluators.RunResult:
    result: evaluators.RunResult = priced(server, folder, *args, **more).run(folder / "rows.jsonl").result
    return result


@pytest.fixture(autouse=True)
def kind(server: ChatServer) -> None:
    server.respond = lambda request, number: Reply(
        verdicts(request, lambda one: {"id": one["id"], "reason": "", "score": 1})
    )


def test_a_run_says_what_it_cost_and_gates_hold_it(server: ChatServer, tmp_path: Path) -> None:
    gates = {"judge_cost": [{"metric": "sum", "fail_above": 0.000108}, {"metric": "sum", "fail_above": 0.0001}]}
    result = scored(server, tmp_path, gates=gates, slices=["row.team"])
    whole, *slices = result.measures
    assert (whole.name, whole.column, whole.n, whole.missing, whole.sum) == ("judge_cost", "cost in USD", 4, 0, 0.000108)
    assert [(one.slice, one.sum) for one in slices] == [(("team", name), 0.000027) for name in "abcd"]
    assert [gate.verdict for gate in result.gates] == ["passed", "failed"]
    assert "judge_cost: 0.000108, cost in USD, for 4 rows" in str(run_page(result))


def test_kept_tokens_have_their_own_price(server: ChatServer, tmp_path: Path) -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 60}}
    well = server.respond
    server.respond = lambda request, number: Reply(well(request, number).content, usage=usage)
    assert scored(server, tmp_path).measures[0].sum == pytest.approx(
        4 * (40 * 0.15 + 60 * 0.05 + 20 * 0.6) / 10**6, rel=1e-15
    )


def test_what_was_known_from_before_costs_nothing_and_is_counted(server: ChatServer, tmp_path: Path) -> None:
    judge = {"cache": "answers.sqlite"}
    assert scored(server, tmp_path, judge=judge).measures[0].sum == 0.000108
    again = scored(server, tmp_path, judge=judge)
    assert (again.measures[0].n, again.measures[0].sum) == (4, 0)
    assert again.environment is not None
    assert again.environment.asked is not None
    assert again.environment.asked.cached == 4


def test_equal_questions_are_paid_for_once(server: ChatServer, tmp_path: Path) -> None:
    suite = priced(server, tmp_path)
    (one,) = suite.run([{"id": str(n), "output": "Thanks."} for n in range(9)]).result.measures
    assert (one.n, one.sum, one.max, one.median) == (9, 0.000027, 0.000027, 0)


def test_replies_that_do_not_count_cost_all_the_same(server: ChatServer, tmp_path: Path) -> None:
    well = server.respond
    server.respond = lambda request, number: Reply("no") if number == 1 else well(request, number)
    assert scored(server, tmp_path).measures[0].sum == 0.000135


@pytest.mark.parametrize("models", ["other: {input: 1, output: 1}", None], ids=["no price", "no count of tokens"])
def test_a_cost_that_nobody_knows_is_said_and_is_never_0(server: ChatServer, tmp_path: Path, models: str | None) -> None:
    well = server.respond
    if models is None:
        server.respond = lambda request, number: Reply(well(request, number).content, usage=None)
    prices = PRICES if models is None else f"currency: USD\nmodels:\n  {models}\n"
    result = scored(server, tmp_path, prices=prices, gates={"judge_cost": {"metric": "sum", "fail_above": 1}})
    (one,) = result.measures
    assert (one.n, one.missing, one.sum) == (0, 4, None)
    assert (result.gates[0].verdict, result.exit_code) == ("undecided", 3)
    assert "of 4 rows the cost in USD is not known" in str(run_page(result))


def test_a_row_has_no_cost_where_one_of_its_answers_has_none(server: ChatServer, tmp_path: Path) -> None:
    line = {"llm_judge": {"name": "tone", "rubric": "Polite?", "panel": [{}, {"model": "dear"}]}}
    (one,) = scored(server, tmp_path, line).measures
    assert (one.n, one.missing, one.sum) == (0, 4, None)


@pytest.mark.parametrize("most", [0.0, 0.00006, 0.00011])
def test_a_budget_of_money_stops_the_asking(server: ChatServer, tmp_path: Path, most: float) -> None:
    result = scored(server, tmp_path, judge={"budget": {"max_cost": most}})
    stats, cost = result.evaluators[0], result.measures[0]
    assert stats.scored == len(server.requests) < 4
    assert (stats.unjudged, result.exit_code) == (4 - stats.scored, 3)
    assert (cost.n, cost.missing) == (4, 0)
    assert cost.sum == pytest.approx(stats.scored * 0.000027)
    assert cost.sum <= most
    assert result.issues[0].code == "judge-budget"


def test_a_model_without_a_price_is_not_asked_on_a_budget_of_money(server: ChatServer, tmp_path: Path) -> None:
    result = scored(server, tmp_path, judge={"budget": {"max_cost": 5.0}, "model": "dear"})
    assert (result.evaluators[0].unjudged, server.requests) == (4, [])
    assert "prices.yaml has no price of dear" in result.issues[0].message


def test_a_run_that_is_counted_beforehand_says_what_it_would_cost(server: ChatServer, tmp_path: Path) -> None:
    priced(server, tmp_path)
    lines = " ".join(cli("run", str(tmp_path / "suite.yaml"), str(tmp_path / "rows.jsonl"), "--dry-run").output.split())
    assert "Costs are in USD." in lines
    assert "It costs about 0.000" in lines
    assert server.requests == []


def test_a_budget_of_money_without_a_price_is_said_beforehand(server: ChatServer, tmp_path: Path) -> None:
    priced(server, tmp_path, judge={"budget": {"max_cost": 5.0}, "model": "dear"})
    lines = " ".join(cli("run", str(tmp_path / "suite.yaml"), str(tmp_path / "rows.jsonl"), "--dry-run").output.split())
    assert "prices.yaml has no price of dear: max_cost cannot be kept, so it is asked nothing." in lines


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"measures": {"judge_cost": "row.cost"}}, 'the measure "judge_cost" is what the judge costs'),
        ({"judge": {"prices": None, "budget": {"max_cost": 1.0}}}, "max_cost needs prices"),
        ({"judge": {"prices": "none.yaml"}}, "the prices cannot be read"),
        ({"prices": "currency: USD\nmodels: 7\n"}, "models"),
        (
            {"line": {"llm_judge": {"rubric": "?", "judge": {"openai_compatible": {
                "base_url": "http://127.0.0.1:9/v1", "model": "m", "cache": False, "prices": "euro.yaml"}}}}},
            "different currencies: EUR, USD",
        ),
    ],
    ids=["a name that is taken", "money without prices", "no such file", "no models", "two currencies"],
)  # fmt: skip
def test_what_is_wrong_with_prices_is_said_before_row_1(
    server: ChatServer, tmp_path: Path, more: dict[str, Any], why: str
) -> None:
    (tmp_path / "euro.yaml").write_text(PRICES.replace("USD", "EUR"), encoding="utf-8")
    with pytest.raises(Problems, match=why):
        scored(server, tmp_path, **more)
    assert server.requests == []
