"""How large a thing from outside may be. Each limit has a name, and its error says it."""

FILE_BYTES = 2_000_000
"""A scenario file."""

FORMULA_LENGTH = 2_000
"""Characters of one formula."""

FORMULA_DEPTH = 60
"""Nesting of one formula."""

EQUATIONS = 40
"""Equations of one operation."""

OPERATIONS = 100
"""Operations of one's own in one scenario."""

NUMBER_LENGTH = 400
"""Characters of one number."""

POWER_DIGITS = 3_000
"""Decimal digits that a power written in a number may have."""

RADICAND_DIGITS = 40
"""Decimal digits of a number under a root (its square factors are looked for)."""

MATRIX_ENTRIES = 1_000_000
"""Entries of one matrix."""

SCENARIO_STEPS = 500
"""Steps, givens and other items of one scenario."""

TABLE_BYTES = 20_000_000
"""A CSV file."""

TENSOR_ENTRIES = 10_000_000
"""Numbers of one tensor of a file, before a part of it is taken."""

TENSOR_AXES = 8
"""Axes of one tensor of a file."""

GIVEN_ENTRIES = 4_000_000
"""Numbers of all files that one scenario names."""

TENSORS = 10_000
"""Tensors of one file."""

HEADER_BYTES = 2_000_000
"""The list of tensors in a file of tensors."""

STEPS = 20_000_000
"""Steps of arithmetic that one question may cost, a page for example: a few seconds."""

ENTRIES = 6_000_000
"""Numbers that one solution keeps, each with a share for every 500 bits: a few hundred megabytes."""

STEPS_BY_GIVEN = 40
"""Steps for every number that is given, where that is more: a layer of a model has millions, a small file has not."""

KEPT_BY_GIVEN = 8
"""Numbers that are kept for every number that is given, where that is more."""

BITS = 100_000
"""The precision of an enclosure."""

FIGURE_DIGITS = 9_999
"""Decimal digits before the point of a figure."""

DIGITS = 50
"""Decimals that can be asked for."""

LABELS = 100_000
"""Tokens, or labels of another axis."""

PROBLEMS = 100
"""Problems of one file that are listed."""

SYMBOLS = 26
"""Free symbols of one scenario."""

SYMBOL_EXPONENT = 64
"""The highest power of an expression with free symbols."""

POLYNOMIAL_TERMS = 400
"""Terms that a given entry with free symbols may have when it is multiplied out."""

TIDIED_PIECES = 400
"""Pieces of an expression in symbols beyond which it is left as it is."""

CLOSED_FORMS = 50_000
"""Numbers and letters that all entries of a matrix in symbols may hold together (an estimate)."""

CLOSED_FORM = 1_000
"""Numbers and letters that an entry in symbols may hold (an estimate), so that it is worked out at all."""

ANSWER_BYTES = 5_000_000
"""A file of students' answers."""

ANSWER_CHARACTERS = 60
"""Characters of one cell of an answer."""

ANSWER_EXPONENT = 1_000
"""The highest power of e in an answer."""

ANSWER_CELLS = 200_000
"""Cells of all answers in one file."""

STUDENTS = 5_000
"""Students whose answers are in one file."""

STUDENT_CHARACTERS = 100
"""Characters of a student's name."""

EXERCISES = 10_000
"""Exercises of one file, or of one batch."""

EXERCISES_CHARACTERS = 200_000_000
"""Characters of a file of exercises."""

EXERCISE_SOURCE = 100_000
"""Characters of the scenario of one exercise."""

EXERCISE_TEXT = 20_000
"""Characters of a sentence or a formula of an exercise."""

EXERCISE_NAME = 100
"""Characters of a name in an exercise."""

EXERCISE_PARTS = 100
"""Parts of one exercise."""

EXERCISE_SIDE = 64
"""Rows and columns of a part."""

EXERCISE_MISTAKES = 1_000
"""Answers of mistakes that one exercise holds."""

EXERCISE_NUMBER = 10**18
"""The largest seed, version or cost of an exercise."""
