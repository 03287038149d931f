"""The functions that a Julia program may need, as Julia; a program holds only those it calls."""

from __future__ import annotations

_LAYER_NORM = """
    # Each row with mean 0 and variance 1; the variance is divided by the width itself.
    function layer_norm(X, epsilon)
        width = size(X, 2)
        centred = X .- sum(X, dims = 2) / width
        return centred ./ sqrt.(sum(abs2, centred, dims = 2) / width .+ epsilon)
    end
"""

_LAYER_NORM_AFFINE = """
    # Each row with mean 0 and variance 1, then every column by its gain, plus its bias.
    function layer_norm(X, epsilon, gain = 1, bias = 0)
        width = size(X, 2)
        centred = X .- sum(X, dims = 2) / width
        return centred ./ sqrt.(sum(abs2, centred, dims = 2) / width .+ epsilon) .* gain .+ bias
    end
"""

_RMS_NORM_GAIN = """
    # Each row divided by its root mean square, then every column by its gain.
    rms_norm(X, epsilon, gain = 1) = X ./ sqrt.(sum(abs2, X, dims = 2) / size(X, 2) .+ epsilon) .* gain
"""

WITH_GAIN: dict[str, str] = {"layer_norm": _LAYER_NORM_AFFINE, "rms_norm": _RMS_NORM_GAIN}
"""The norms with what may follow them."""

_ERF = """
    # The error function, which Julia itself does not have: up to 2 by its series, whose terms are all positive,
    # then by the continued fraction of what is missing to 1. The error is less than 2e-15.
    function erf(x)
        z = abs(x)
        z > 6 && return sign(x)
        if z < 2
            term = total = z
            for n in 1:60
                term *= 2 * z^2 / (2n + 1)
                total += term
            end
            return sign(x) * 2 / sqrt(pi) * exp(-z^2) * total
        end
        below = z
        for n in 60:-1:1
            below = z + n / 2 / below
        end
        return sign(x) * (1 - exp(-z^2) / sqrt(pi) / below)
    end
"""

SOFTMAX_OR_ZERO = """
    # Each row becomes weights that sum to 1; a row of nothing but -Inf, which sees no key, weights of 0.
    function softmax(S)
        seen = any(isfinite, S, dims = 2)
        E = exp.(S .- ifelse.(seen, maximum(S, dims = 2), 0.0))
        return E ./ ifelse.(seen, sum(E, dims = 2), 1.0)
    end
"""

HELPERS: dict[str, str] = {
    "softmax": """
        # Each row becomes weights that sum to 1; without its maximum, exp cannot overflow.
        function softmax(S)
            E = exp.(S .- maximum(S, dims = 2))
            return E ./ sum(E, dims = 2)
        end
    """,
    "layer_norm": _LAYER_NORM,
    "rms_norm": """
        # Each row divided by its root mean square.
        rms_norm(X, epsilon) = X ./ sqrt.(sum(abs2, X, dims = 2) / size(X, 2) .+ epsilon)
    """,
    "erf": _ERF,
    "gelu": """
        # A number x times the share of the normal distribution below x.
        gelu(x) = x * (1 + erf(x / sqrt(2))) / 2
    """,
    "gelu_tanh": """
        # Close to gelu, with tanh in place of erf.
        gelu_tanh(x) = x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2
    """,
    "silu": """
        # A number x by 1 + exp(-x).
        silu(x) = x / (1 + exp(-x))
    """,
    "elu": """
        # A negative number x becomes exp(x) - 1.
        elu(x) = x > 0 ? x : expm1(x)
    """,
    "causal_mask": """
        # 0 on and below the diagonal, the value above it.
        causal_mask(n, value) = [j > i ? float(value) : 0.0 for i in 1:n, j in 1:n]
    """,
    "window_mask": """
        # 0 where two positions are less than w apart, the value elsewhere.
        window_mask(n, w, value) = [abs(i - j) < w ? 0.0 : float(value) for i in 1:n, j in 1:n]
    """,
    "padding_mask": """
        # 0 in the columns that are known, the value in those that only fill up.
        padding_mask(n, m, known, value) = [j > known ? float(value) : 0.0 for i in 1:n, j in 1:m]
    """,
    "distance": """
        # How far apart two positions are.
        distance(n) = [float(abs(i - j)) for i in 1:n, j in 1:n]
    """,
    "sinusoidal": """
        # Sine and cosine of every angle, side by side.
        function sinusoidal(n, d, base)
            phi = angles(0:n - 1, d, base)
            P = zeros(n, d)
            P[:, 1:2:end] = sin.(phi)
            P[:, 2:2:end] = cos.(phi)
            return P
        end
    """,
    "rotary": """
        # Each pair of neighbouring columns turned by an angle that grows with the row.
        function rotary(X, base, start)
            n, d = size(X)
            phi = angles(start .+ (0:n - 1), d, base)
            x, y = X[:, 1:2:end], X[:, 2:2:end]
            R = zeros(n, d)
            R[:, 1:2:end] = x .* cos.(phi) - y .* sin.(phi)
            R[:, 2:2:end] = x .* sin.(phi) + y .* cos.(phi)
            return R
        end
    """,
    "angles": """
        # Every position times base^(-2t/d), a column for each pair t of columns, counted from 0.
        angles(positions, d, base) = [p * float(base)^(-t / d) for p in positions, t in 0:2:d - 1]
    """,
    "additive_scores": """
        # The sum of v tanh(q + k) for every row q of Q and every row k of K.
        additive_scores(Q, K, v) = [sum(vec(v) .* tanh.(q + k)) for q in eachrow(Q), k in eachrow(K)]
    """,
    "row_norm": """
        # The length of each row, as a column.
        row_norm(X) = sqrt.(sum(abs2, X, dims = 2))
    """,
    "unit": """
        # Each row divided by its length.
        unit(X) = X ./ sqrt.(sum(abs2, X, dims = 2))
    """,
    "proportions": """
        # Each row divided by its sum.
        proportions(S) = S ./ sum(S, dims = 2)
    """,
    "entropy": """
        # -sum(a log a) of each row, as a column; 0 log 0 counts as 0.
        entropy(A) = -sum(a -> a > 0 ? a * log(a) : 0.0, A, dims = 2)
    """,
    "cosine": """
        # The cosine of every row of X with every row of Y.
        cosine(X, Y) = unit(X) * unit(Y)'
    """,
    "angle": """
        # Degrees between every row of X and every row of Y; atan keeps the digits that acos loses near 0 and 180.
        function angle(X, Y)
            U, V = unit(X), unit(Y)
            return [rad2deg(2 * atan(norm(u - v), norm(u + v))) for u in eachrow(U), v in eachrow(V)]
        end
    """,
    "clip_norm": """
        # G shortened to the largest length where it is longer.
        clip_norm(G, largest) = G * (largest / max(largest, norm(G)))
    """,
    "row_argmax": """
        # The column of the largest entry of each row, the first one where it ties; columns count from 0.
        # Adding 0 turns -0 into 0, which Julia takes for larger.
        row_argmax(X) = [argmax(row .+ 0.0) - 1.0 for row in eachrow(X), _ in 1:1]
    """,
    "top_k": """
        # 1 for the k largest entries of each row, the first ones where they tie, and 0 elsewhere.
        # Adding 0 turns -0 into 0, which Julia takes for larger.
        function top_k(P, k)
            M = zeros(size(P))
            for i in 1:size(P, 1)
                M[i, sortperm(P[i, :] .+ 0.0, rev = true)[1:k]] .= 1
            end
            return M
        end
    """,
}
"""The functions that Julia does not have, by name. A dot behind the name applies one to every entry."""

PRINT = """
    # The name, then one line for each row; what rounds to 0 has no sign.
    function print_matrix(name, A)
        cells = [@sprintf("%.{decimals}f", abs(x) < {half} ? 0.0 : x) for x in A]
        width = maximum(length, cells)
        println(name)
        for row in eachrow(cells)
            println(join(lpad.(row, width), "  "))
        end
    end
"""
