# The softmax of each row; its maximum is subtracted so that exp cannot overflow.
function softmax(S)
    E = exp.(S .- maximum(S, dims = 2))
    return E ./ sum(E, dims = 2)
end

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

# Degrees between every row of X and every row of Y; atan keeps the digits that acos loses near 0 and 180.
function angle(X, Y)
    U = X ./ sqrt.(sum(abs2, X, dims = 2))
    V = Y ./ sqrt.(sum(abs2, Y, dims = 2))
    return [rad2deg(2 * atan(norm(u - v), norm(u + v))) for u in eachrow(U), v in eachrow(V)]
end

# 1 for the k largest entries of each row, the first ones where they tie, and 0 elsewhere.
# Adding 0 turns -0 into 0, which Julia takes for larger.
function top_k(P, k)
    M = zeros(size(P))
    for i in 1:size(P, 1)
        M[i, sortperm(P[i, :] .+ 0.0, rev = true)[1:k]] .= 1
    end
    return M
end

# The name, then one line for each row; what rounds to 0 has no sign.
function print_matrix(name, A)
    cells = [@sprintf("%.DECIMALSf", abs(x) < HALF ? 0.0 : x) for x in A]
    width = maximum(length, cells)
    println(name)
    for row in eachrow(cells)
        println(join(lpad.(row, width), "  "))
    end
end
