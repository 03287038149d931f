"""Random lessons in which every kind of sentence occurs, with the boundaries at which one stops being true."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.sentences.drafts import MASKS, WORDS, Lesson
from tests.sentences.layers import LAYERS


def _mask(lesson: Lesson, *numbers: str) -> None:
    """A given mask that hides nothing on its diagonal."""
    rows = range(lesson.n)
    cells = [[lesson.random.choice(numbers) if i != j else "0" for j in rows] for i in rows]
    lesson.whole("M", cells, ("n", "n"))


def similarity(lesson: Lesson) -> None:
    """Every row compared with every row, masked in some way, and mixed."""
    draw, n = lesson.random, lesson.n
    lesson.give("X", n, lesson.d, ("n", "d"))
    lesson.choose("S = X @ X.T", "S = X @ X.T / sqrt(2)", "S = dot(X, X)", "S = X @ X.T / 2")
    kind = draw.choice(("none", "causal", "given", "window", "padding", "booleans", "closed"))
    if kind == "given":
        _mask(lesson, "0", "0", "-oo", "-1", "-10^9")
        lesson.do("T = S + M")
    elif kind == "closed":
        cells = [[draw.choice(("0", "-oo")) for _ in range(n)] for _ in range(n)]
        cells[draw.randrange(n)] = ["-oo"] * n
        lesson.whole("M", cells, ("n", "n"))
        lesson.do("T = S + M")
    elif kind in ("causal", "window", "padding"):
        value = draw.choice(MASKS)
        about = {"causal": f"{n}", "window": f"{n}, {draw.randint(1, n)}", "padding": f"{n}, {n}, {draw.randint(1, n)}"}
        call = f"{kind}_mask({about[kind]}{value})"
        lesson.do(f"T = S + {call}" if draw.random() < 0.5 else f"M = {call} | T = S + M")
    lesson.do(f"A = softmax({'S' if kind in ('none', 'booleans') else 'T'})")
    if kind == "booleans":
        _mask(lesson, "0", "0", "-1", "-oo")
        lesson.do("B = keep(A, M) | D = proportions(B) | Y = D @ X")
    else:
        lesson.do("Y = A @ X")
    lesson.sometimes(0.5, "E = entropy(A)")
    if draw.random() < 0.3:
        lesson.do(f"r = row(A, {draw.randint(1, n)})")
    if draw.random() < 0.3:
        lesson.figures.append(f'''{{ figure = "{draw.choice(("arcs", "bars", "heatmap"))}", of = "A" }}''')
    lesson.sometimes(0.3, "R = Y + X")


def queries(lesson: Lesson) -> None:
    """Attention with its projections, and perhaps what comes next."""
    draw, n = lesson.random, lesson.n
    lesson.give("X", n, 2, ("n", "d"))
    lesson.give("W_Q W_K W_V", 2, 2, ("d", "d"))
    scale = draw.choice((" / sqrt(2)", "", " / 2", ""))
    lesson.do(f"Q = X @ W_Q | K = X @ W_K | V = X @ W_V | S = Q @ K.T{scale}")
    if draw.random() < 0.5:
        lesson.do(f"T = S + causal_mask({n}{draw.choice(MASKS)}) | A = softmax(T)")
    else:
        lesson.do("A = softmax(S)")
    lesson.do("H = A @ V")
    if draw.random() < 0.7:
        lesson.labels["vocab"] = ("good", "bad", "so")[: draw.randint(1, 3)]
        lesson.give("W_O", 2, len(lesson.labels["vocab"]), ("d", "vocab"))
        lesson.choose("z = H @ W_O", f"h = row(H, {n}) | z = h @ W_O", "h = X + H | z = h @ W_O")
        lesson.do("p = softmax(z)")
        few = draw.randint(1, len(lesson.labels["vocab"]))
        lesson.do(*draw.sample(["c = argmax(p)", f"t = top_k(p, {few})", "l = log(p)", "e = entropy(p)"], 2))


def across(lesson: Lesson) -> None:
    """Queries of one kind of rows, keys of another."""
    m = lesson.random.randint(1, 4)
    lesson.labels["patches"] = tuple(f"p{j}" for j in range(m))
    lesson.give("Q", lesson.n, 2, ("n", "d"))
    lesson.give("K V", m, 2, ("patches", "d"))
    lesson.do("S = Q @ K.T | A = softmax(S)")
    lesson.choose("Y = A @ V", "Y = A @ V | E = entropy(A)", "c = argmax(A) | E = entropy(A)")


def norms(lesson: Lesson) -> None:
    """Norms of rows, some of them constant or zero."""
    draw = lesson.random
    lesson.give("X", lesson.n, lesson.d, ("n", "d"))
    if draw.random() < 0.4:
        lesson.whole("X", [["1", "2", "0.5"][: lesson.d] for _ in range(lesson.n)])
    epsilon = draw.choice(("", ", epsilon=1/100", ", epsilon=10^-5"))
    lesson.do(
        f"N = layer_norm(X{epsilon}) | R = rms_norm(X{epsilon})",
        f"C = clip_norm(X, {draw.choice(('5', '1', '100', '2.5'))})",
    )
    if lesson.d == 2:
        lesson.do(f"T = rotary(X, start={draw.choice(('0', '1', '-1', '3'))})")
    if all(any(cell != "0" for cell in row) for row in lesson.givens["X"][0]):
        lesson.do("U = unit(X)")
    lesson.do("G = relu(X)")


def choices(lesson: Lesson) -> None:
    """The largest of a row, the largest few up to all, equal scores, relu of everything and nothing."""
    draw, width = lesson.random, lesson.random.randint(1, 5)
    if draw.random() < 0.6:
        lesson.labels["vocab"] = tuple(f"w{j}" for j in range(width)) if draw.random() < 0.8 else ("same",) * width
        lesson.give("P", lesson.n, width, ("n", "vocab"))
    else:
        lesson.give("P", lesson.n, width)
    lesson.do(
        f"c = argmax(P) | T = top_k(P, {draw.randint(1, width)}) | G = relu(P)",
        f"F = relu(P {draw.choice('+-')} 3) | p = softmax(P) | l = log(p)",
    )
    lesson.sometimes(0.5, "q = exp(P) | s = proportions(q) | e = entropy(s)")


def same_again(lesson: Lesson) -> None:
    """Products with the identity, sums with zeros, probabilities that are given."""
    draw, n = lesson.random, lesson.n
    lesson.give("X", n, 2)
    lesson.whole("I", [["1", "0"], ["0", draw.choice(("1", "1", "2"))]])
    lesson.whole("Z", [["0", draw.choice(("0", "0", "1"))]] * n)
    lesson.do("Y = X @ I | V = X + Z | D = X - Z | H = X / 1 | F = X / 2")
    cells = [draw.choice((["1/2", "1/2"], ["1", "0"], ["1/3", "2/3"], ["0.25", "0.75"])) for _ in range(n)]
    lesson.whole("P", cells)
    lesson.do("E = entropy(P) | B = X.T | M = P @ I")
    if all("0" not in row for row in cells):
        lesson.do("L = log(P)")


def losses(lesson: Lesson) -> None:
    """A loss at the end."""
    n = lesson.n
    lesson.give("X", n, 2, ("n", "d"))
    lesson.give("W", 2, 3)
    lesson.do(f"H = relu(X) | z = H @ W | p = softmax(z) | L = cross_entropy(z, [{lesson.numbers(3)}])")


def backwards(lesson: Lesson) -> None:
    """A loss whose gradients are worked out too: behind a mask, a ReLU, a norm and a choice of rows."""
    draw, n = lesson.random, lesson.n
    lesson.give("W", 2, 3)
    right, ids = lesson.numbers(3), lesson.numbers(3)
    if draw.random() < 0.5:
        lesson.give("E", 4, 2)
        lesson.do(f"O = one_hot([{ids}], 4) | X = O @ E")
    else:
        lesson.give("X", n, 2)
    lesson.do("R = relu(X) | Z = R @ W")
    if draw.random() < 0.5:
        lesson.do(f"C = X @ X.T | S = C + causal_mask({n}) | A = softmax(S) | Y = A @ Z")
    else:
        lesson.choose("Y = layer_norm(Z)", "Y = Z + 1")
    lesson.do(f"L = cross_entropy(Y, [{right}])")


def long_rows(lesson: Lesson) -> None:
    """More rows than a page reads one by one."""
    lesson.n = lesson.random.randint(9, 12)
    lesson.tokens = WORDS[: lesson.n] if lesson.random.random() < 0.5 else ()
    similarity(lesson)


def heads(lesson: Lesson) -> None:
    """Two heads, joined."""
    n = lesson.n
    lesson.give("X", n, 2, ("n", "d"))
    lesson.give("W_1 W_2 U_1 U_2 V_1 V_2", 2, 1)
    for h in (1, 2):
        lesson.do(
            f"Q_{h} = X @ W_{h} | K_{h} = X @ U_{h} | B_{h} = X @ V_{h} | S_{h} = Q_{h} @ K_{h}.T",
            f"A_{h} = softmax(S_{h}) | H_{h} = A_{h} @ B_{h}",
        )
    lesson.do("H = concat(H_1, H_2)")
    if lesson.random.random() < 0.5:
        lesson.give("W_O", 2, 2)
        lesson.do("O = H @ W_O")


SCENES: tuple[Callable[[Lesson], None], ...] = (
    *(similarity, queries, across, norms, choices, same_again, losses, heads, long_rows, *LAYERS),
    *(similarity, queries, across, norms, choices, backwards, heads, long_rows, similarity, choices, backwards),
)
"""What a lesson can be about; each is drawn in turn."""


def random_lesson(seed: int) -> str:
    """The text of a lesson."""
    draw = Random(seed)
    n = draw.choice((1, 2, 3, 3, 3, 4))
    tokens = draw.choice((WORDS[:n], WORDS[:n], (), tuple(draw.choice(("no", "yes")) for _ in range(n))))
    lesson = Lesson(draw, tokens, n, draw.choice((1, 2, 2, 2, 3)))
    SCENES[seed % len(SCENES)](lesson)
    lesson.words = draw.choice(("all",) * 11 + ("few",))
    lesson.apart = draw.random() < 0.4
    return lesson.text


def goes_backward(seed: int) -> bool:
    """Whether the gradients of this lesson are to be worked out too."""
    return SCENES[seed % len(SCENES)] is backwards
