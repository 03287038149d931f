"""What is said of the layer of a model: ``models.toml`` of each language, where ``%(…)s`` stands for what is put in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from symattn.words import Texts, between, texts


def words(key: str, **told: object) -> Texts:
    """The words in every language; braces in what is told print as themselves.

    >>> words("head", head=3)["en"], words("title", layer="a{b}")["zh-Hant"]
    ('Head 3', 'a{{b}} 的注意力')
    """
    safe = {name: str(value).replace("{", "{{").replace("}", "}}") for name, value in told.items()}
    return {language: text % safe for language, text in texts("models", key).items()}


def told(keys: Iterable[tuple[str, Mapping[str, object]]]) -> Texts:
    """Several of them as one text.

    >>> said = told([("input", {}), ("memory", {})])
    >>> said["en"], said["zh-Hans"]
    ('Input What the encoder gives', '输入编码器的输出')
    """
    all_said = [words(key, **said) for key, said in keys]
    return {language: between(language).join(said[language] for said in all_said) for language in all_said[0]}
