"""What the name of a column says of the role that it plays."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from msgspec import Struct

from evaluators.scoring.needs import Role
from evaluators.testsets.columns import is_usual


def _with_unaccented(words: str) -> frozenset[str]:
    """The words of a text that is split at spaces, and each word without its accents."""
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", words) if not unicodedata.combining(letter))
    return frozenset([*words.split(), *plain.split()])


_MODEL_ABROAD: Final = _with_unaccented("modell modèle modelo modello ki ia")
_OUTPUT_ABROAD: Final = _with_unaccented(
    "vorhersage vorhergesagt erkannt extrahiert prédiction prédit prédite généré générée predicción predicho predicha generado generada "
    "previsão previsto prevista gerado gerada generato generata voorspelling voorspeld voorspelde obtenu obtenue obtenido obtenida "
    "obtido obtida ottenuto ottenuta "
    "模型输出 模型回答"
)
_EXPECTED_ABROAD: Final = _with_unaccented(
    "erwartet erwartete richtig richtige korrekt korrekte referenz musterantwort musterlösung sollwert wahrheit attendu attendue "
    "référence vérité esperado esperada correcto correcta referencia verdad verdade correto correta gabarito atteso attesa corretto "
    "corretta verwacht verwachte juiste 标准答案 参考答案 正确答案 正解 期待値 期待 期望 정답"
)
_WORDS: Final[Mapping[Role, frozenset[str]]] = {
    "output": frozenset(
        ["pred", "preds", "predicted", "prediction", "predictions", "model", "actual", "generated", "extracted", "llm", "got",
         "bot", "chatbot", "ai", "assistant", "suggestion", "suggested", "hyp"]
    ) | _MODEL_ABROAD | _OUTPUT_ABROAD,
    "expected": frozenset(
        ["expected", "gold", "golden", "truth", "groundtruth", "correct", "reference", "target", "targets", "ideal",
         "right", "true", "wanted", "solution", "human", "annotated", "annotation", "annotations", "annotator", "accept",
         "acceptable", "adjudicated", "adjudication", "consensus", "majority"]
    ) | _EXPECTED_ABROAD,
    "input": frozenset(
        ["input", "question", "prompt", "query", "message", "text", "email", "instruction", "conversation", "transcript",
         "context", "scenario", "passage", "article"]
    ) | _with_unaccented("frage texte texto testo tekst pregunta pergunta domanda vraag 问题 質問 入力 输入 질문 입력"),
    "id": frozenset(["id", "no", "nr", "number", "nummer", "key", "code", "uuid"]),
}  # fmt: skip
_OUTPUT_WORDS: Final = frozenset(
    [
        "output",
        "outputs",
        "response",
        "responses",
        "completion",
        "completions",
        "reply",
        "replies",
        "resps",
        "ausgabe",
        "sortie",
        "salida",
        "出力",
        "输出",
        "출력",
    ]
)
"""What a model gives. A word of expected answers beside it says more: an ideal response is no output."""
ANSWER: Final = frozenset(["answer", "answers"]) | _with_unaccented(
    "antwort réponse respuesta resposta risposta antwoord 回答 答案 답변"
)
_AMBIGUOUS_WORDS: Final = frozenset(["label", "labels"]) | ANSWER
"""What a model gave, or what it should have given."""
_NOUNS: Final = (
    _OUTPUT_WORDS
    | _AMBIGUOUS_WORDS
    | frozenset(["value", "values", "result", "results", "json", "class", "category", "text", "ground", "y", "system"])
)
"""Words that say no more than that a column holds answers."""
_WHICH_MODEL: Final = frozenset(
    ["model", "llm", "ai", "bot", "assistant", "annotator", "name", "version", "id", "provider"]
)
"""Names made of these alone may say which model it was, or which person."""
_WHO_ANSWERS: Final = frozenset(["ai", "ki", "ia", "bot", "chatbot", "assistant"])
"""Names made of these alone may stand above answers, above names of models, or for something else: Iowa, an element, a grade."""
_OF_A_MODEL: Final = frozenset(
    ["name", "version", "id", "provider", "tested", "used", "type", "family", "under", "test", "tests", "run", "config"]
)
_MODEL: Final = frozenset(["model", "llm", "ai", "bot", "chatbot", "assistant", "annotator"]) | _MODEL_ABROAD
"""Words for who answers. Beside others that name no answer, they may say anything about it."""
_NO_ANSWER: Final = frozenset(["is", "confidence", "probability", "prob", "logprob"])
"""Words about an answer, which is then none."""
_ABOUT: Final = frozenset(["metadata", "meta"])
"""The last word of names of what is said about something."""
_PREDICTED: Final = frozenset(["pred", "preds", "predicted", "prediction", "predictions"])
_HYPOTHESES: Final = frozenset(["hyp", "hyps", "hypothesis", "hypotheses", "mt"])
_BESIDE: Final[tuple[tuple[frozenset[str], Role, frozenset[str]], ...]] = (
    (frozenset(["actual"]), "expected", _PREDICTED | _with_unaccented("模型输出 模型回答")),
    (frozenset(["ref", "refs"]), "expected", _HYPOTHESES | {"gen", "generated"}),
    (frozenset(["gen"]), "output", frozenset(["ref", "refs", "reference", "references", "gold"])),
    (_HYPOTHESES, "output", frozenset(["ref", "refs", "reference", "references"])),
    (frozenset(["soll"]), "expected", frozenset(["ist"])),
    (frozenset(["ist"]), "output", frozenset(["soll"])),
)
"""Words that say a role only where another column has one of some words: without those, a "ref" is a number of a document."""
_VERDICT: Final = frozenset(
    ["correct", "incorrect", "passed", "pass", "failed", "fail", "ok", "score", "scores", "verdict", "grade", "graded",
     "rating", "match", "matches", "matched", "accuracy", "acc", "f1", "em", "bleu", "rouge", "success", "valid", "judgement",
     "judgment", "right", "wrong", "hit", "win", "eval", "evaluation", "similarity", "confidence", "probability", "prob",
     "logprob", "rater", "raters"]
)  # fmt: skip
_METRICS: Final = frozenset(
    ["accuracy", "acc", "f1", "em", "bleu", "rouge", "similarity", "confidence", "probability", "prob", "logprob", "rater",
     "raters"]
)  # fmt: skip
"""Verdicts that are numbers, and never an answer."""
_QUALITIES: Final = frozenset(
    ["relevance", "relevancy", "faithfulness", "groundedness", "coherence", "fluency", "toxicity", "hallucination"]
)
"""What answers are judged by, where they are named beside: `Answer Relevance`. Alone it may be what a model was asked for."""
_JUDGED: Final = frozenset(["claim", "claims", "statement", "sentence"])
"""Texts that a model judges, so that its answers are such labels themselves."""
_ASKS: Final = frozenset(["question", "prompt", "instruction", "conversation"])
"""Inputs that are answered, and not labelled."""
_EXPLAINS: Final = frozenset(
    ["explanation", "explanations", "reason", "reasons", "reasoning", "rationale", "why", "comment", "comments", "note", "notes",
     "feedback", "justification", "cot", "thought", "thoughts", "analysis", "critique", "remark", "remarks"]
)  # fmt: skip
_SETTLED: Final = frozenset(["adjudicated", "adjudication", "consensus", "majority"])
_PEOPLE: Final = frozenset(["annotator", "annotators", "rater", "raters", "labeler", "labeller", "coder", "reviewer"])
_NAMES_ANOTHER: Final = frozenset(["id", "ids", "uuid", "guid", "key", "hash", "index", "idx"])
_WHEN: Final = frozenset(["at", "timestamp", "timestamps", "created", "updated"])
_FAMILY: Final = re.compile(
    r"(?:^|[^a-z])(?:gpt|chatgpt|o[134](?=[^a-z]|$)|claude|sonnet|opus|haiku|gemini|gemma|palm|llama|mistral|mixtral|qwen|deepseek|phi-?\d"
    r"|command-?r|grok|falcon|vicuna|davinci|nova)(?![a-z])",
    re.IGNORECASE,
)
"""Models by the names of their families."""
_SIZES: Final = frozenset(
    ["gpt", "turbo", "mini", "nano", "large", "small", "medium", "pro", "flash", "lite", "instruct", "chat", "preview", "latest",
     "exp", "b", "o", "v", "r", "k", "sonnet", "opus", "haiku"]
)  # fmt: skip
MEASURES: Final = frozenset(
    ["cost", "costs", "usd", "eur", "token", "tokens", "latency", "duration", "seconds", "millis", "ms"]
)
_NO_MEASURE: Final = frozenset(["pred", "predicted", "prediction", "extracted"]) | _WORDS["expected"]
_IN_ENGLISH: Final = {
    "实际": "actual", "実際": "actual", "실제": "actual", "预测": "predicted", "予測": "predicted", "예측": "predicted",
}  # fmt: skip
"""Words of which it depends on other names what they say, as it does of the English ones."""
_FIRST_UNSPACED: Final = 0x3000
"""From this letter on: Chinese, Japanese, Korean."""
_UNSPACED_WORDS: Final = [
    word
    for words in (*_WORDS.values(), _OUTPUT_WORDS, ANSWER, _MODEL_ABROAD, _IN_ENGLISH)
    for word in words
    if ord(word[0]) >= _FIRST_UNSPACED
]
_UNSPACED: Final = re.compile(f"({'|'.join(sorted(_UNSPACED_WORDS, key=len, reverse=True))})")
"""The known words of languages that put no space between words, the longest first."""
USUAL, WORD, NOUN, WEAK, WEAKER = 7.0, 5.0, 4.5, 2.0, 1.0
_CAMEL_CASE: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Where a new word begins in `AILabel` and in `trueLabel`."""


def words_of(column: str) -> list[str]:
    """The words of a name, in lower case and in order, without digits."""
    composed = unicodedata.normalize("NFC", column)  # an accent of its own would end a word
    words = [word.lower() for word in re.findall(r"[^\W\d_]+", _CAMEL_CASE.sub(" ", composed))]
    parts = (part for word in words for part in ([word] if word.isascii() else _UNSPACED.split(word)) if part)
    return [_IN_ENGLISH.get(part, part) for part in parts]


def without_digits(column: str) -> str:
    """The name without its digits, in lower case."""
    return re.sub(r"\d", "", column).lower()


def is_input(column: str) -> bool:
    """Whether the name of a column says that it holds inputs, and nothing else."""
    words = {*words_of(column)}
    other = words & (
        _WORDS["output"] | _WORDS["expected"] | _OUTPUT_WORDS | _AMBIGUOUS_WORDS | _OF_A_MODEL | _NAMES_ANOTHER
    )
    return is_usual(column, "input") or bool(words & _WORDS["input"] and not other)


def called_id(column: str) -> bool:
    """Whether the name of a column has a word that ids have, such as "id" or "number"."""
    return bool(_WORDS["id"] & {*words_of(column)})


def role_weight(column: str | None, role: Role, among: Collection[str] = ()) -> float:
    """How much the name of a column speaks for `role`, an output or an expected answer: 0 for not at all, then WEAKER, WEAK, NOUN, WORD and
    USUAL. `among` are the names of all columns, which change what some words say."""
    if column is None:
        return 0.0
    ordered = words_of(column)
    words = {*ordered}
    other: Role = "expected" if role == "output" else "output"
    if is_usual(column, role) and not words <= _AMBIGUOUS_WORDS:
        return USUAL
    if (
        words & _NO_ANSWER
        or _ABOUT.intersection(ordered[-1:])
        or (is_usual(column, other) and not words <= _AMBIGUOUS_WORDS)
    ):
        return 0.0
    said = _named_role(words, among)
    if said is None:
        if role == "output" and names_model(column):
            return NOUN
        return WEAK if words and words <= _AMBIGUOUS_WORDS else WEAKER if words & _AMBIGUOUS_WORDS else 0.0
    if said != role or (words <= _WHICH_MODEL and words & _OF_A_MODEL):
        return 0.0
    if words & _MODEL and not words - _MODEL <= _NOUNS and not words & (_WORDS[role] - _MODEL):
        return WEAKER
    return WORD if words & _WORDS[role] and not words <= _WHICH_MODEL else NOUN


def names_role_alone(column: str, role: Role) -> bool:
    """Whether the name has no words but those of the role, so that it can mean nothing else."""
    words = {*words_of(column)}
    own = _WORDS["output"] | _WORDS["expected"]
    if words <= _WHO_ANSWERS:
        return False
    return is_usual(column, role) or words <= _AMBIGUOUS_WORDS or names_model(column) or words <= own | _NOUNS


def names_other_side(column: str, role: Role, among: Collection[str]) -> bool:
    """Whether the name speaks for the other of output and expected answer, and not for this one."""
    other: Role = "expected" if role == "output" else "output"
    return role_weight(column, other, among) >= NOUN and not role_weight(column, role, among)


def _named_role(words: Collection[str], among: Collection[str]) -> Role | None:
    """Whether words name an output or an expected answer; None for neither.

    Words of both, such as `expected output`, name an output, unless "expected" is one of them or a column of `among` names an output
    alone.
    """
    of_output, of_expected = _WORDS["output"] & {*words}, _WORDS["expected"] & {*words}
    rivals = [{*words_of(name)} for name in among]
    for own, role, others in _BESIDE:
        if own & {*words} and not others & {*words} and any(each & others for each in rivals):
            return role
    if of_output and of_expected:
        other_outputs = any(
            each & (_WORDS["output"] | _OUTPUT_WORDS) and not each & _WORDS["expected"] for each in rivals
        )
        return "expected" if other_outputs or "expected" in words else "output"
    return "expected" if of_expected else "output" if of_output or _OUTPUT_WORDS & {*words} else None


def may_be_measure(column: str) -> bool:
    """Whether the name of a column may be that of numbers about the call, such as its cost or its latency."""
    words = {*words_of(column)}
    return bool(words & MEASURES) and not words & _NO_MEASURE


def called_verdict(column: str, among: Collection[str] = ()) -> bool:
    """Whether the name has a word of verdicts, or of a quality of the answers that stand beside."""
    return bool(_VERDICT & {*words_of(column)}) or _is_quality(column, among)


def called_metric(column: str, among: Collection[str] = ()) -> bool:
    """Whether the name has a word of figures about answers, or of a quality of the answers that stand beside."""
    return bool(_METRICS & {*words_of(column)}) or _is_quality(column, among)


def _is_quality(column: str, among: Collection[str]) -> bool:
    """Whether the name is one of a quality of answers, which are named in it or are another column."""
    words = {*words_of(column)}
    if not words & _QUALITIES:
        return False
    others = [name for name in among if not _QUALITIES & {*words_of(name)}]
    beside = {word for name in others for word in words_of(name)}
    answers = beside & (ANSWER | _OUTPUT_WORDS) or (beside & _ASKS and any(map(names_model, others)))
    return bool(words & (ANSWER | _OUTPUT_WORDS) or (answers and not beside & _JUDGED))


def called_explanation(column: str) -> bool:
    """Whether the name of a column has a word of explanations, such as "reason" or "notes"."""
    return bool(_EXPLAINS & {*words_of(column)})


def called_settled(column: str) -> bool:
    """Whether the name says that the labels of several people were brought to one."""
    return bool(_SETTLED & {*words_of(column)})


def called_of_people(column: str) -> bool:
    """Whether the name has a word for people who label."""
    return bool(_PEOPLE & {*words_of(column)})


def called_time(column: str) -> bool:
    """Whether the name of a column has a word of times, such as "created"."""
    return bool(_WHEN & {*words_of(column)})


def called_id_of_another(column: str) -> bool:
    """Whether the name of a column has a word of ids that may be those of anything, such as "uuid" or "hash". A key alone, and an answer
    key, may be right answers."""
    words = {*words_of(column)}
    return bool(_NAMES_ANOTHER & words) and not words <= ANSWER | {"key"}


def may_name_model(column: str) -> bool:
    """Whether the name may say which model answered, or who annotated, and is no word for an answer."""
    words = {*words_of(column)}
    return bool(words & _WHO) and words <= _WHICH_MODEL | _OF_A_MODEL | _WHO


def names_answerer(column: str) -> bool:
    """Whether the name says who answers, and no more: `AI`, `bot`."""
    return {*words_of(column)} <= _WHO_ANSWERS


_WHO: Final = _MODEL | frozenset(["human", "run", "experiment", "engine"])


def names_model(column: str) -> bool:
    """Whether a model is named, such as `gpt-4o` and `claude_response`, and nothing but what it answered."""
    match = _FAMILY.search(column)
    if match is None:
        return False
    rest = {*words_of(_FAMILY.sub(" ", column))}
    return rest <= _SIZES | _NOUNS | frozenset(["output", "predicted", "prediction", "pred", "model"])


def columns_side_by_side(columns: Sequence[str]) -> list[str]:
    """The columns of outputs of several models: those that are named by models, or that are called alike but for a letter or a number, such
    as `response_a` and `response_b`. Empty where fewer than two are."""
    models = [name for name in columns if names_model(name)]
    if len(models) > 1:
        return models
    alike: dict[str, list[str]] = {}
    for name in columns:
        if role_weight(name, "output") >= NOUN and (match := _ONE_OF_SEVERAL.fullmatch(name)):
            alike.setdefault(match[1].lower(), []).append(name)
    return next((names for names in alike.values() if len(names) > 1), [])


_ONE_OF_SEVERAL: Final = re.compile(r"(.*[^\W\d_])[\s_-]*(?:\d{1,2}|(?<=[\s_-])[a-eA-E])")


class ColumnPair(Struct, frozen=True):
    """An output and its expected answer that are called by the same thing: `vendor_pred` and `vendor_true`."""

    stem: str
    output: str
    expected: str
    marked: bool
    """Both names say their side. Otherwise one is plain: `vendor` and `vendor_gold`."""


_OUTPUT_MARKS: Final = (
    _PREDICTED
    | frozenset(
        [
            "extracted",
            "generated",
            "model",
            "llm",
            "ai",
            "bot",
            "output",
            "response",
            "hyp",
            "hypothesis",
            "estimated",
            "got",
            "gen",
        ]
    )
    | _MODEL_ABROAD
    | _OUTPUT_ABROAD
)
_EXPECTED_MARKS: Final = frozenset(
    ["expected", "gold", "golden", "true", "truth", "groundtruth", "ground", "gt", "correct", "reference", "ref", "target", "ideal",
     "human", "annotated", "actual", "wanted"]
) | _EXPECTED_ABROAD  # fmt: skip


def pairs_by_name(columns: Sequence[str]) -> list[ColumnPair]:
    """The pairs of columns whose names differ in the word alone that says which side each is, in the order of the columns."""
    outputs: dict[str, str] = {}
    answers: dict[str, str] = {}
    bare: dict[str, str] = {}
    output_marks, expected_marks = _marks_in([{*words_of(name)} for name in columns])
    for name in columns:
        words = words_of(name)
        stem = "_".join(_singular(word) for word in words if word not in output_marks | expected_marks)
        digits = "".join(re.findall(r"\d+", name))
        key = f"{stem}{digits}"
        of_output, of_answer = {*words} & output_marks, {*words} & expected_marks
        if not stem or (of_output and of_answer):
            continue
        (outputs if of_output else answers if of_answer else bare).setdefault(key, name)
    pairs = []
    for key in dict.fromkeys([*outputs, *answers]):
        output, answer, other = outputs.get(key), answers.get(key), bare.get(key)
        if output and answer:
            pairs.append(ColumnPair(key, output, answer, marked=True))
        elif other and output:
            pairs.append(ColumnPair(key, output, other, marked=False))
        elif other and answer:
            pairs.append(ColumnPair(key, other, answer, marked=False))
    place = {name: index for index, name in enumerate(columns)}
    return sorted(pairs, key=lambda pair: min(place[pair.output], place[pair.expected]))


def _marks_in(names: Sequence[set[str]]) -> tuple[frozenset[str], frozenset[str]]:
    """The words that say outputs, and those that say expected answers, in names given as sets of words: "actual" is an output beside
    "expected" where no other word says outputs, and an expected answer beside "predicted"."""
    expected = _EXPECTED_MARKS - {"actual"}
    if any(words & _OUTPUT_MARKS for words in names) or not any(words & expected for words in names):
        return _OUTPUT_MARKS, _EXPECTED_MARKS
    return _OUTPUT_MARKS | {"actual"}, expected


def side_of_words(words: Sequence[str]) -> Role | None:
    """Whether words say outputs or expected answers, as the names of folders and the endings of files do; None for neither and both."""
    stems = {*map(_singular, words)}
    output, expected = stems & (_OUTPUT_MARKS | _OUTPUT_WORDS), stems & _EXPECTED_MARKS
    return None if bool(output) == bool(expected) else "output" if output else "expected"


def _singular(word: str) -> str:
    """The word without the `s` of a plural."""
    return word[:-1] if len(word) > _PLURAL and word.endswith("s") and not word.endswith("ss") else word


_PLURAL: Final = 3
