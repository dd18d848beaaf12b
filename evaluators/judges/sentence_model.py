"""A model of sentences in a folder: texts to vectors of length 1, with numpy alone.

Two kinds of models are known by their config.json. `bert` is an encoder as sentence-transformers saves it, with
model.safetensors and tokenizer.json: its layers are worked out here, and the vectors of tokens are averaged. `model2vec` has one
vector for each token; they are averaged. Nothing is fetched: a folder that lacks a file is refused.

The error function in the activation is the rational approximation 7.1.26 of Abramowitz and Stegun, whose error is below 1.5e-7.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from evaluators.issues import Problems, extra_hint, problem

FILES: Final = ("config.json", "tokenizer.json", "model.safetensors")
_MOST_TOKENS: Final = 256
_AT_ONCE: Final = 64
_ERF: Final = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
_ERF_P: Final = 0.3275911


class SentenceModel:
    """Turns texts into vectors. Raises Problems (config) for a folder that holds no model of a kind that is known."""

    def __init__(self, folder: Path) -> None:
        config = read_config(folder)
        try:
            from safetensors.numpy import load_file
            from tokenizers import Tokenizer
        except ImportError as error:
            raise missing_extra() from error
        self.kind: str = config["model_type"]
        self.heads = int(config.get("num_attention_heads", 1))
        self.layers = int(config.get("num_hidden_layers", 0))
        self.epsilon = float(config.get("layer_norm_eps", 1e-12))
        self.weights: Mapping[str, Any] = {
            name.removeprefix("bert."): value for name, value in load_file(folder / FILES[2]).items()
        }
        self.tokenizer = Tokenizer.from_file(str(folder / FILES[1]))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(_longest(folder, config))

    def vectors(self, texts: Sequence[str]) -> Any:
        """One row for each text, of length 1."""
        import numpy as np

        tokens = [one.ids for one in self.tokenizer.encode_batch(list(texts), add_special_tokens=self.kind == "bert")]
        found: list[Any] = [None] * len(texts)
        by_length: dict[int, list[int]] = {}
        for place, ids in enumerate(tokens):
            by_length.setdefault(len(ids), []).append(place)
        for places in by_length.values():  # of equal lengths, so that nothing is padded and nothing is masked
            for start in range(0, len(places), _AT_ONCE):
                chosen = places[start : start + _AT_ONCE]
                for place, vector in zip(chosen, self._means([tokens[place] for place in chosen]), strict=True):
                    found[place] = vector
        table = np.stack(found)
        lengths = np.linalg.norm(table, axis=1, keepdims=True)
        return table / np.where(lengths > 0, lengths, 1)

    def _means(self, ids: list[list[int]]) -> Any:
        import numpy as np

        if not ids[0]:
            return np.zeros((len(ids), self._width()), dtype=np.float32)
        if self.kind == "model2vec":
            return self.weights["embeddings"][np.array(ids)].mean(axis=1)
        return self._encoded(np.array(ids)).mean(axis=1)

    def _width(self) -> int:
        name = "embeddings" if self.kind == "model2vec" else "embeddings.word_embeddings.weight"
        return int(self.weights[name].shape[1])

    def _encoded(self, ids: Any) -> Any:
        """The last states of the encoder: texts × tokens × width."""
        import numpy as np

        weight = self.weights
        states = weight["embeddings.word_embeddings.weight"][ids]
        states = states + weight["embeddings.position_embeddings.weight"][: ids.shape[1]]
        states = self._normed(states + weight["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for number in range(self.layers):
            layer = f"encoder.layer.{number}"
            query, key, value = (
                self._in_heads(self._dense(states, f"{layer}.attention.self.{part}"))
                for part in ("query", "key", "value")
            )
            scores = query @ key.swapaxes(-1, -2) / np.sqrt(np.float32(query.shape[-1]))
            shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
            mixed = (shares / shares.sum(axis=-1, keepdims=True)) @ value
            joined = mixed.swapaxes(1, 2).reshape(states.shape)
            attended = self._dense(joined, f"{layer}.attention.output.dense")
            states = self._normed(states + attended, f"{layer}.attention.output.LayerNorm")
            wide = _gelu(self._dense(states, f"{layer}.intermediate.dense"))
            states = self._normed(states + self._dense(wide, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
        return states

    def _in_heads(self, states: Any) -> Any:
        texts, tokens, width = states.shape
        return states.reshape(texts, tokens, self.heads, width // self.heads).swapaxes(1, 2)

    def _dense(self, states: Any, name: str) -> Any:
        return states @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def _normed(self, states: Any, name: str) -> Any:
        import numpy as np

        centred = states - states.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(self.epsilon))
        return centred / spread * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]


def _gelu(values: Any) -> Any:
    import numpy as np

    scaled = np.abs(values) * np.float32(0.5**0.5)
    t = 1 / (1 + np.float32(_ERF_P) * scaled)
    series = t * np.polyval(np.array(_ERF[::-1], dtype=np.float32), t)
    erf = np.sign(values) * (1 - series * np.exp(-scaled * scaled))
    return values * np.float32(0.5) * (1 + erf)


def read_config(folder: Path) -> dict[str, Any]:
    """The config.json of a model. Raises Problems (config) where a file is missing, or its kind is not known."""
    for name in FILES:
        if not (folder / name).is_file():
            hint = f"a model is a folder with {', '.join(FILES)}, as sentence-transformers and model2vec save it"
            raise problem("no-model", f'there is no "{name}" in it', where=str(folder), hint=hint)
    try:
        config = json.loads((folder / FILES[0]).read_text(encoding="utf-8"))
    except ValueError:
        config = None
    if not isinstance(config, dict) or config.get("model_type") not in ("bert", "model2vec"):
        kind = config.get("model_type") if isinstance(config, dict) else None
        hint = "known are bert (such as MiniLM) and model2vec"
        raise problem("no-model", f"it is no model of a kind that is known: {kind}", where=str(folder), hint=hint)
    if config.get("hidden_act", "gelu") != "gelu":
        raise problem(
            "no-model", f'its activation "{config["hidden_act"]}" is not known; known is gelu', where=str(folder)
        )
    pooling = folder / "1_Pooling" / "config.json"
    if pooling.is_file() and not json.loads(pooling.read_text(encoding="utf-8")).get("pooling_mode_mean_tokens", True):
        raise problem("no-model", "its vectors are no means of tokens, and others are not known", where=str(folder))
    return config


def checksum_of(folder: Path) -> str:
    """What tells two models apart: of the weights and the tokenizer."""
    found = sha256()
    for name in FILES:
        with (folder / name).open("rb") as file:
            while block := file.read(1 << 20):
                found.update(block)
    return found.hexdigest()


def missing_extra() -> Problems:
    """The packages that read a model are not installed."""
    return problem(
        "missing-extra", 'the judge "embedding" needs packages that are not installed', where="judge",
        hint=extra_hint("embedding"),
    )  # fmt: skip


def _longest(folder: Path, config: Mapping[str, Any]) -> int:
    """How many tokens of a text are read."""
    file = folder / "sentence_bert_config.json"
    said = json.loads(file.read_text(encoding="utf-8")).get("max_seq_length") if file.is_file() else None
    return int(said or min(_MOST_TOKENS, config.get("max_position_embeddings", _MOST_TOKENS)))
