# The softmax of each row; its maximum is subtracted so that exp() cannot overflow.
softmax <- function(S) {
  E <- exp(S - apply(S, 1, max))
  E / rowSums(E)
}

# Every x times the share of the normal distribution below x.
gelu <- function(X) X * pnorm(X)

# 1 for the k largest entries of each row, the first ones where they tie, and 0 elsewhere.
top_k <- function(P, k) {
  places <- apply(-P, 1, rank, ties.method = "first")
  matrix(places <= k, nrow(P), byrow = TRUE) + 0
}

# Degrees between every row of X and every row of Y; atan2() keeps the digits that acos() loses near 0 and 180.
angle <- function(X, Y) {
  U <- X / sqrt(rowSums(X^2))
  V <- Y / sqrt(rowSums(Y^2))
  size <- function(x) sqrt(sum(x^2))
  degrees <- function(i, j) 360 / pi * atan2(size(U[i, ] - V[j, ]), size(U[i, ] + V[j, ]))
  outer(seq_len(nrow(U)), seq_len(nrow(V)), Vectorize(degrees))
}

# The name, then one line for each row; adding 0 turns -0 into 0.
print_matrix <- function(name, A) {
  cells <- format(sprintf("%.DECIMALSf", round(A, DECIMALS) + 0), justify = "right")
  rows <- apply(matrix(cells, nrow(A)), 1, paste, collapse = "  ")
  writeLines(c(name, rows))
}
