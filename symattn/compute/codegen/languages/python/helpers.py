"""Functions shared by programs in NumPy and PyTorch; ``DECIMALS`` is filled in when a program is written."""

DECIMALS = 6


def print_matrix(name, A):
    """The name, then one line for each row; adding 0 turns -0 into 0."""
    cells = [[f"{round(x, DECIMALS) + 0:.DECIMALSf}" for x in row] for row in A.tolist()]
    width = max(len(cell) for row in cells for cell in row)
    print(name)
    for row in cells:
        print("  ".join(cell.rjust(width) for cell in row))
