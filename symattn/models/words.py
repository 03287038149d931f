"""What is said of the layer of a model, in every language; ``%s`` stands for what the caller puts in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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
    "from_config": {
        "en": "Its %(config)s says: %(said)s.",
        "zh-Hant": "%(config)s 寫明：%(said)s。",
        "zh-Hans": "%(config)s 写明：%(said)s。",
    },
    "from_absent": {
        "en": "What %(config)s leaves out is as usual for such a model: %(said)s.",
        "zh-Hant": "%(config)s 沒有寫的，照這類模型的慣例：%(said)s。",
        "zh-Hans": "%(config)s 没有写的，照这类模型的惯例：%(said)s。",
    },
    "from_told": {
        "en": "Said by the author of this page: %(said)s.",
        "zh-Hant": "由本頁作者指定：%(said)s。",
        "zh-Hans": "由本页作者指定：%(said)s。",
    },
    "from_unasked": {
        "en": "No mask was asked for: every query sees every key.",
        "zh-Hant": "沒有指定遮罩：每個查詢都看得到每個鍵。",
        "zh-Hans": "没有指定掩码：每个查询都看得到每个键。",
    },
    "ignored": {
        "en": "Left out, because the author of this page says that it changes nothing: %(said)s.",
        "zh-Hant": "以下項目未採用，因為本頁作者指明它們不影響結果：%(said)s。",
        "zh-Hans": "以下项目未采用，因为本页作者指明它们不影响结果：%(said)s。",
    },
    "memory": {
        "en": "What the encoder gives",
        "zh-Hant": "編碼器的輸出",
        "zh-Hans": "编码器的输出",
    },
    "norm_before_cross": {
        "en": "Layer norm before cross-attention",
        "zh-Hant": "交叉注意力之前的層正規化",
        "zh-Hans": "交叉注意力之前的层归一化",
    },
    "why_cross": {
        "en": "Queries come from the rows of this layer, keys and values from the rows that the encoder gives: one "
        "sequence asks, the other answers.",
        "zh-Hant": "查詢來自這一層的列向量，鍵與值來自編碼器輸出的列向量：一個序列發問，另一個序列回答。",
        "zh-Hans": "查询来自这一层的行向量，键与值来自编码器输出的行向量：一个序列发问，另一个序列回答。",
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
    "projections_E": {
        "en": "Cross-attention: queries, keys and values",
        "zh-Hant": "交叉注意力：查詢、鍵與值",
        "zh-Hans": "交叉注意力：查询、键与值",
    },
    "head_E": {
        "en": "Cross-attention: head %(head)s",
        "zh-Hant": "交叉注意力：第 %(head)s 個頭",
        "zh-Hans": "交叉注意力：第 %(head)s 个头",
    },
    "output_E": {
        "en": "Cross-attention: output projection",
        "zh-Hant": "交叉注意力：輸出投影",
        "zh-Hans": "交叉注意力：输出投影",
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


def told(keys: Iterable[tuple[str, Mapping[str, object]]]) -> dict[str, str]:
    """Several of them as one text.

    >>> told([("input", {}), ("memory", {})])["en"]
    'Input What the encoder gives'
    """
    texts = [words(key, **said) for key, said in keys]
    return {language: (" " if language == "en" else "").join(text[language] for text in texts) for language in texts[0]}
