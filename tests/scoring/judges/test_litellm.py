"""The judge `litellm`, with the library itself against a server on this machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from evaluators.model.issues import Problems
from evaluators.scoring.judges.judge import JudgeQuestion, read_judge
from evaluators.scoring.judges.model_judge import ModelJudge
from tests.scoring.judges.chat_server import ChatServer, Reply, verdicts

CAR = JudgeQuestion("semantic", "car", "coupe")


def judge_of(server: ChatServer, folder: Path, **options: object) -> ModelJudge:
    settings = {"base_url": server.url, "model": "openai/m", "cache": False, "api_key_env": "JUDGE_KEY", **options}
    found = read_judge({"litellm": settings}, folder)
    assert isinstance(found, ModelJudge)
    return found


def test_without_the_library_one_sentence_says_what_to_type(server: ChatServer, tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['litellm'] = None\n"
        "from pathlib import Path\n"
        "from evaluators.scoring.judges.judge import read_judge\n"
        f"read_judge({{'litellm': {{'model': 'm', 'cache': False}}}}, Path({str(tmp_path)!r})).ready()\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert 'pip install "path/to/structured-evaluators[litellm]"' in ended.stderr


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", "abc")
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    pytest.importorskip("litellm")


@pytest.mark.usefixtures("key")
@pytest.mark.filterwarnings("default")
def test_it_comes_back_when_the_endpoint_says(server: ChatServer, tmp_path: Path) -> None:
    server.respond = lambda request, number: (
        Reply(status=429, headers={"Retry-After": "7"}) if number == 1 else Reply(verdicts(request))
    )
    judge, waits = judge_of(server, tmp_path), []
    judge._wait = waits.append
    assert judge.answer([CAR])[0].retries == 1
    assert waits == [7.0]
    server.respond = lambda request, number: Reply(status=401, content="no")
    error = judge_of(server, tmp_path).answer([CAR])[0].error
    assert error is not None
    assert error.code == "judge-refused"


def test_no_model_is_a_config_problem(server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEFAULT_LLM_MODEL", raising=False)
    nameless = judge_of(server, tmp_path, model=None)
    with pytest.raises(Problems, match="names no model"):
        nameless.ready()
