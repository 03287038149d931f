"""Random lessons beyond plain attention: layers, embeddings, caches, kernels, shares made by hand, losses."""

from __future__ import annotations

from collections.abc import Callable

from tests.sentences.drafts import Lesson

BENDS = ("relu", "gelu", "gelu_tanh", "silu", "elu", "tanh")


def network(lesson: Lesson) -> None:
    """Two layers with a bend between them; with biases, a gate, a residual and a norm, or without a second layer."""
    draw, n = lesson.random, lesson.n
    lesson.give("X", n, 2, ("n", "d"))
    lesson.give("W_1", 2, 3)
    lesson.give("W_2", 3, 2)
    bias, bend = draw.random() < 0.5, draw.choice(BENDS)
    if bias:
        lesson.give("b", 1, 3)
        apart = f"P = X @ W_1 | B = broadcast(b, {n}) | U = P + B"
        lesson.choose("U = X @ W_1 + b", f"B = broadcast(b, {n}) | U = X @ W_1 + B", apart)
    else:
        lesson.do("U = X @ W_1")
    lesson.do(f"H = {bend}(U)")
    kind = draw.choice(("second", "second", "gate", "residual", "alone"))
    if kind == "gate":
        lesson.give("W_3", 2, 3)
        lesson.do("G = X @ W_3 | M = H * G | Y = M @ W_2")
    elif kind != "alone":
        lesson.do("Y = H @ W_2")
    if kind == "residual":
        lesson.give("g c", 1, 2)
        lesson.do("R = X + Y")
        lesson.choose("N = layer_norm(R, gamma=g, beta=c)", "N = rms_norm(R, gamma=g)")


def embedded(lesson: Lesson) -> None:
    """Rows of a table by ids, with positions, and attention over them."""
    draw, n = lesson.random, lesson.n
    lesson.give("E", 4, 2)
    lesson.do(f"O = one_hot([{lesson.numbers(4)}], 4) | Z = O @ E")
    if draw.random() < 0.5:
        lesson.do(f"P = sinusoidal({n}, 2) | X = Z + P")
    else:
        lesson.give("P", n, 2)
        lesson.do("X = Z + P")
    lesson.do("S = X @ X.T / sqrt(2) | A = softmax(S) | Y = A @ X")
    if draw.random() < 0.3:
        lesson.figures.append('{ figure = "vectors", of = ["X"] }')
    if draw.random() < 0.3:
        lesson.figures.append('{ figure = "waves", of = "P" }')
    if draw.random() < 0.4:
        row = draw.choice(("", f", row = {draw.randint(1, n)}"))
        lesson.figures.append(f'{{ figure = "move", of = ["X", "Y"]{row} }}')


def alike(lesson: Lesson) -> None:
    """Projections that share their weights, or stand under two names; keys that are turned in a step of their own."""
    draw, n = lesson.random, lesson.n
    lesson.give("X", n, 2, ("n", "d"))
    lesson.give("W U", 2, 2)
    key, value = draw.choice((("W", "U"), ("U", "W"), ("W", "W"), ("U", "U")))
    lesson.do(f"Q = X @ W | K = X @ {key} | V = X @ {value}")
    lesson.choose("S = Q @ K.T", "T = K.T | S = Q @ T", "T = K.T | S = Q @ T / sqrt(d)")
    lesson.do("A = softmax(S) | Y = A @ V")
    lesson.choose("", "C = X.T @ X", "B = A | D = B @ V", f"h = row(Y, {n}) | N = Y + X")


def kernels(lesson: Lesson) -> None:
    """Attention without a softmax: keys times values first."""
    n = lesson.n
    lesson.give("Q K V", n, 2, ("n", "d"))
    lesson.do(f"F = elu(Q) + ones({n}, 2) | G = elu(K) + ones({n}, 2) | M = G.T @ V | Z = F @ M")
    lesson.sometimes(0.7, f"c = G.T @ ones({n}, 1) | s = F @ c | Y = Z / s")


def blocks_of_columns(lesson: Lesson) -> None:
    """Heads as blocks of columns, the mean of their weights."""
    n = lesson.n
    lesson.give("X", n, 4, ("n", "d"))
    lesson.give("W_Q W_K W_V W_O", 4, 4)
    lesson.steps += [f"{name} = X @ W_{name}" for name in "QKV"]
    for h in (1, 2):
        lesson.steps += [f"{name}_{h} = head({name}, {h}, 2)" for name in "QKV"]
        lesson.do(f"S_{h} = Q_{h} @ K_{h}.T / sqrt(2) | A_{h} = softmax(S_{h}) | H_{h} = A_{h} @ V_{h}")
    lesson.choose("M = (A_1 + A_2) / 2", "")
    lesson.do("H = concat(H_1, H_2) | Y = H @ W_O")
    lesson.choose("", "R = X + Y")


def cached(lesson: Lesson) -> None:
    """A cache of keys and values, and rows that ask."""
    m = lesson.random.randint(1, 2)
    n = lesson.n
    lesson.tokens = ()
    for name, rows in (("Q", n), ("K_cache", m), ("V_cache", m)):
        lesson.give(name, rows, 2)
    lesson.give("X", n, 2)
    lesson.give("W_K W_V", 2, 2)
    lesson.do(
        "K_new = X @ W_K | V_new = X @ W_V | K = stack(K_cache, K_new) | V = stack(V_cache, V_new)",
        f"S = Q @ K.T / sqrt(2) | M = cached_mask({n}, {n + m}) | T = S + M | A = softmax(T) | Y = A @ V",
    )
    lesson.choose("", "E = entropy(A)")


def biased(lesson: Lesson) -> None:
    """Distances and given numbers in the scores."""
    draw, n = lesson.random, lesson.n
    lesson.give("Q K V", n, 2, ("n", "d"))
    lesson.give("B", n, n)
    slope = draw.choice(("- 1/2 *", "- 0.25 *", "-", "+"))
    lesson.do(f"D = distance({n}) | S = Q @ K.T")
    lesson.choose(f"T = S {slope} D", "T = S + B", f"T = S {slope} D + causal_mask({n})")
    lesson.do("A = softmax(T) | Y = A @ V")


def by_hand(lesson: Lesson) -> None:
    """Shares, norms and sigmoids that are worked out in parts."""
    draw, n = lesson.random, lesson.n
    lesson.give("X", n, lesson.d, ("n", "d"))
    lesson.do("S = X @ X.T")
    stable = draw.random() < 0.5
    lesson.do(f"m = row_max(S) | Z = S - m @ ones(1, {n}) | E = exp(Z)" if stable else "E = exp(S)")
    lesson.do("s = row_sum(E) | A = E / s | Y = A @ X")
    kind = draw.choice(("norm", "size", "sigmoid", "none"))
    if kind == "norm":
        lesson.do("u = row_mean(X) | C = X - u | v = row_var(X) | w = sqrt(v + 1/100) | N = C / w")
        lesson.give("g b", 1, lesson.d)
        lesson.choose("", "G = g * N", "G = g * N + b")
    elif kind == "size":
        lesson.do("q = row_mean(X^2) | w = sqrt(q + 1/100) | N = X / w")
    elif kind == "sigmoid":
        lesson.do("N = 1 / (1 + exp(-X))")


def one_query(lesson: Lesson) -> None:
    """One query as a vector, its keys one by one, and shares of single numbers."""
    draw = lesson.random
    lesson.tokens = ()
    lesson.give("q k_1 k_2 v_1 v_2", 1, 2)
    scale = draw.choice(("", " / sqrt(2)", " / 2", " / sqrt(3)"))
    lesson.steps += [f"s_{i} = dot(q, k_{i}){scale}" for i in (1, 2)]
    lesson.do(
        "e_1 = exp(s_1) | e_2 = exp(s_2) | z = e_1 + e_2 | a_1 = e_1 / z | a_2 = e_2 / z", "y = a_1 * v_1 + a_2 * v_2"
    )


def angles(lesson: Lesson) -> None:
    """Comparisons that are no plain products."""
    draw, n = lesson.random, lesson.n
    for name in "QKV":
        cells = [[draw.choice(("1", "2", "-1", "0.5", "3")) for _ in range(2)] for _ in range(n)]
        lesson.whole(name, cells, ("n", "d"))
    lesson.give("w", 1, 2)
    lesson.choose("S = cosine(Q, K)", "S = additive_scores(Q, K, w)", "S = dot(Q, K)")
    lesson.choose("A = softmax(S) | Y = A @ V", "U = unit(Q) | B = U @ U.T", "C = angle(Q, K)")
    lesson.choose("", "l = norm(Q)", "R = Q @ identity(2)")
    lesson.choose("", "H = Q * K", "H = divide(Q, K)", "H = entry(Q, 1, 2) | J = rows(Q, 1, 1)")


def judged(lesson: Lesson) -> None:
    """Probabilities, the right answers, what was lost; the few that stay in the running."""
    draw, n = lesson.random, lesson.n
    lesson.give("X", n, 2, ("n", "d"))
    lesson.give("W", 2, 3)
    lesson.do("z = X @ W | p = softmax(z)")
    if draw.random() < 0.6:
        right = lesson.numbers(3)
        lesson.do(f"T = one_hot([{right}], 3) | r = row_sum(T * p) | s = -log(r) | L = ones(1, {n}) @ s / {n}")
        lesson.choose("", "m = exp(L)", "m = exp(L)")
    else:
        lesson.do(f"T = top_k(p, {draw.randint(1, 3)}) | k = proportions(p * T) | c = argmax(k)")


def intervals(lesson: Lesson) -> None:
    """Figures that stand for all numbers that round to them."""
    draw, n = lesson.random, lesson.n
    shares = draw.choice(([["0.3417", "0.2756", "0.3828"]], [["0.25", "0.25", "0.5"]], [["0.33", "0.33", "0.335"]]))
    lesson.whole("P", shares * n)
    lesson.rounded.add("P")
    lesson.sums.update(P="1" if draw.random() < 0.5 else "")
    lesson.give("V", 3, 2)
    lesson.do("Y = P @ V | A = softmax(V) | Z = A @ A.T")
    lesson.choose("", "B = softmax(Y)")


def vectors(lesson: Lesson) -> None:
    """A single row of weights in their order, values in one column, 1×1 matrices."""
    draw, m = lesson.random, lesson.random.randint(1, 5)
    lesson.tokens = ()
    lesson.labels["vocab"] = ("good", "bad", "so", "ugly", "odd")[:m]
    lesson.give("h", 1, lesson.d, None)
    lesson.give("W", lesson.d, m, None)
    lesson.whole("s", [[draw.choice(("0", "1", "1", "-2", "0.5")) for _ in range(m)]], ("1", "vocab"))
    lesson.choose("p = softmax(s)", "p = softmax(s) | c = argmax(p)", "p = softmax(s / 2)")
    lesson.do("z = h @ W | q = softmax(z)")
    lesson.choose("", "t = s.T | u = p @ t", "g = softmax(-s) | k = entropy(g)", "c_2 = argmax(q)")


def hidden(lesson: Lesson) -> None:
    """Masks by themselves, weights that are kept, pictures, every entry worked out."""
    draw, n = lesson.random, lesson.n
    lesson.give("X", n, 2, ("n", "d"))
    mask = draw.choice((f"causal_mask({n})", f"window_mask({n}, 1)", f"padding_mask({n}, {n}, 1)"))
    lesson.do(f"S = X @ X.T | M = {mask}")
    if draw.random() < 0.5:
        lesson.do("B = softmax(S) | C = keep(B, M) | A = proportions(C) | Y = A @ X")
    else:
        lesson.do("R = S / sqrt(d) | T = R + M | A = softmax(T) | Y = A @ X")
    lesson.figures += draw.choice(([], ['{ figure = "arcs", of = "A" }'], ['{ show = "A", form = "entries" }']))


def gained(lesson: Lesson) -> None:
    """A norm in parts, with what is learned of it."""
    lesson.give("X", lesson.n, lesson.d, ("n", "d"))
    lesson.give("g b", 1, lesson.d)
    lesson.do("u = row_mean(X) | C = X - u | v = row_var(X) | w = sqrt(v + 1/100) | N = C / w")
    lesson.choose("G = g * N", "G = g * N + b", "P = g * N | G = P + b")


def many(lesson: Lesson) -> None:
    """More letters than a table has room for."""
    lesson.tokens, lesson.n = (), 1
    lesson.give("X", 1, 2)
    lesson.give("W", 2, 2)
    lesson.steps += [f"S_{i} = {'X' if i == 1 else f'S_{i - 1}'} {'+' if i % 2 else '-'} X" for i in range(1, 31)]
    lesson.do("Y = S_30 @ W")


def layered(lesson: Lesson) -> None:
    """A stack of what the others have: norm, attention, residual, network, residual, candidates."""
    draw, n = lesson.random, lesson.n
    lesson.give("X", n, 2, ("n", "d"))
    lesson.give("W_Q W_K W_V W_O W_1 W_2", 2, 2)
    lesson.do(
        "N = layer_norm(X) | Q = N @ W_Q | K = N @ W_K | V = N @ W_V | S = Q @ K.T / sqrt(d)",
        "A = softmax(S) | H = A @ V | O = H @ W_O | R = X + O | M = rms_norm(R) | U = M @ W_1",
        f"G = {draw.choice(BENDS)}(U) | F = G @ W_2 | Y = R + F",
    )
    if draw.random() < 0.6:
        lesson.labels["vocab"] = ("good", "bad", "so")
        lesson.give("E", 2, 3, ("d", "vocab"))
        lesson.do(f"h = row(Y, {n}) | z = h @ E | p = softmax(z)")
        lesson.choose("", "c = argmax(z)")


LAYERS: tuple[Callable[[Lesson], None], ...] = (
    *(network, embedded, alike, kernels, blocks_of_columns, cached, biased, by_hand, one_query, angles, judged),
    *(intervals, vectors, layered, hidden, gained, many, network, judged, angles, hidden, by_hand, alike, network),
    *(angles, hidden, cached, gained, judged, network, hidden, judged, biased, network, angles, hidden),
)
