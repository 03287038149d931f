"""Operations as equations in index notation: what they are, how they are read, and what follows from them."""
