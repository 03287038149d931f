"""Operations as equations in index notation: their definition, parsing, evaluation and differentiation."""
