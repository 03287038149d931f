"""Programs in R, and what R printed: read, never run."""

from __future__ import annotations

from symattn.checking.check import check

PROGRAM = """The three words in R:

```r
softmax <- function(mat) {
  exp(mat) / rowSums(exp(mat))
}
X <- matrix(c(1, 3, 2, 1, 1, 3, 1, 2, 1), nrow = 3, byrow = TRUE)
W <- softmax(X %*% t(X))
Z <- W %*% X
print(Z)
```

```
     [,1]     [,2]     [,3]
[1,]    1 2.957691 2.011295
[2,]    1 1.540148 2.722573
[3,]    1 2.864164 2.000000
```
"""


def test_what_a_program_in_r_printed_is_held_against_it():
    found = check(PROGRAM)
    assert found.is_right
    assert (found.coverage.verified, found.coverage.not_verified) == (9, 0)


def test_a_wrong_figure_of_what_r_printed_is_found():
    found = check(PROGRAM.replace("1.540148", "1.450148"))
    assert [(one.line, one.printed, one.expected) for one in found.findings] == [(16, "1.450148", "1.540148")]


def test_matrices_of_r_go_column_by_column_unless_they_say_otherwise():
    program = "```r\nA <- matrix(c(1, 2, 3, 4), 2)\nB <- A %*% c(1, 1)\nt(A)\n```\n\n"
    text = program + "```\n     [,1] [,2]\n[1,]    1    2\n[2,]    3    5\n```\n"
    assert [(one.printed, one.expected) for one in check(text).findings] == [("5", "4")]
