"""What is said of the layer of a model, in every language; ``%s`` stands for what the caller puts in."""

from __future__ import annotations

WORDS: dict[str, dict[str, str]] = {
    "title": {
        "en": "Attention in %(layer)s",
        "zh-Hant": "%(layer)s 的注意力",
        "zh-Hans": "%(layer)s 的注意力",
    },
    "title_head": {
        "en": "Head %(head)s of %(heads)s in %(layer)s",
        "zh-Hant": "%(layer)s：%(heads)s 個頭中的第 %(head)s 個",
        "zh-Hans": "%(layer)s：%(heads)s 个头中的第 %(head)s 个",
    },
    "intro": {
        "en": "The weights are those of the file %(file)s, read as %(family)s. Every figure below follows exactly from "
        "them and from the input.",
        "zh-Hant": "權重取自檔案 %(file)s，按 %(family)s 的格式讀取。以下每個數字都由這些權重和輸入精確推得。",
        "zh-Hans": "权重取自文件 %(file)s，按 %(family)s 的格式读取。以下每个数字都由这些权重和输入精确推得。",
    },
    "input": {"en": "Input", "zh-Hant": "輸入", "zh-Hans": "输入"},
    "norm_before": {
        "en": "Layer norm before attention",
        "zh-Hant": "注意力之前的層正規化",
        "zh-Hans": "注意力之前的层归一化",
    },
    "projections": {
        "en": "Queries, keys and values",
        "zh-Hant": "查詢、鍵與值",
        "zh-Hans": "查询、键与值",
    },
    "why_projections": {
        "en": "Three linear maps of the same rows: what a token looks for, what it offers, and what it passes on.",
        "zh-Hant": "同一批列向量經過三個線性變換：一個詞要找什麼、能被什麼找到，以及會傳遞什麼。",
        "zh-Hans": "同一批行向量经过三个线性变换：一个词要找什么、能被什么找到，以及会传递什么。",
    },
    "scores": {"en": "Scores and weights", "zh-Hant": "分數與權重", "zh-Hans": "分数与权重"},
    "head": {"en": "Head %(head)s", "zh-Hant": "第 %(head)s 個頭", "zh-Hans": "第 %(head)s 个头"},
    "result": {"en": "Weighted values", "zh-Hant": "值的加權和", "zh-Hans": "值的加权和"},
    "why_result": {
        "en": "Each row that comes out is a mixture of the values; the weights say how much of each goes into it.",
        "zh-Hant": "輸出的每一列都是各個值的混合，權重決定每個值佔多少。",
        "zh-Hans": "输出的每一行都是各个值的混合，权重决定每个值占多少。",
    },
    "output": {"en": "Output projection", "zh-Hant": "輸出投影", "zh-Hans": "输出投影"},
    "why_output": {
        "en": "The heads stand side by side; this map mixes them into rows of the width that came in.",
        "zh-Hant": "各個頭的結果左右並排，這個線性變換再把它們混合，變回與輸入同寬的列向量。",
        "zh-Hans": "各个头的结果左右并排，这个线性变换再把它们混合，变回与输入同宽的行向量。",
    },
    "residual": {"en": "Residual connection", "zh-Hant": "殘差連接", "zh-Hans": "残差连接"},
    "feed_forward": {"en": "Feed-forward network", "zh-Hant": "前饋網路", "zh-Hans": "前馈网络"},
}
"""Titles and reasons. Names of layers and files come from outside: see :func:`words`."""


def words(key: str, **told: object) -> dict[str, str]:
    """The words in every language; braces in what is told print as themselves.

    >>> words("head", head=3)["en"], words("title", layer="a{b}")["zh-Hant"]
    ('Head 3', 'a{{b}} 的注意力')
    """
    safe = {name: str(value).replace("{", "{{").replace("}", "}}") for name, value in told.items()}
    return {language: text % safe for language, text in WORDS[key].items()}
