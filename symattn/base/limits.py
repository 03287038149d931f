"""Limits on the size of anything that comes from outside. Each has a name, and its error says it."""

FILE_BYTES = 2_000_000  # a scenario file
FORMULA_LENGTH = 2_000  # characters of one formula
FORMULA_DEPTH = 60  # nesting of one formula
LIST_ENTRIES = 100  # numbers of a list in a formula, and rows that are taken out one by one
EQUATIONS = 40  # equations of one operation
OPERATIONS = 100  # operations of one's own in one scenario
NUMBER_LENGTH = 400  # characters of one number
POWER_DIGITS = 3_000  # decimal digits that a power written in a number may have
RADICAND_DIGITS = 40  # decimal digits of a number under a root (its square factors are looked for)
MATRIX_ENTRIES = 1_000_000  # entries of one matrix
EXTENDED = 4  # scenarios that extend one another
JACOBIAN_ENTRIES = 2_500  # derivatives of one Jacobian, and of each that it is made of
SCENARIO_STEPS = 500  # steps, givens and other items of one scenario
TRAINING_STEPS = 5  # steps of one training
TRAINED_STEPS = 3_000  # steps of a derivation with its gradients and with what training works out again
TABLE_BYTES = 20_000_000  # a CSV file
TENSOR_ENTRIES = 10_000_000  # numbers of one tensor of a file, before a part of it is taken
TENSOR_AXES = 8  # axes of one tensor of a file
GIVEN_ENTRIES = 4_000_000  # numbers of all files that one scenario names
TENSORS = 10_000  # tensors of one file
HEADER_BYTES = 2_000_000  # the list of tensors in a file of tensors
STEPS = 20_000_000  # steps of arithmetic that one question may cost, a page for example: a few seconds
READING_STEPS = 5_000_000  # steps that it may cost to read a scenario: its plan, its gradients, its training
ENTRIES = 6_000_000  # numbers that one solution keeps, each with a share for every 500 bits: a few hundred megabytes
# Steps for every given number, if that is more: a layer of a model has millions of numbers, a small file has not.
STEPS_BY_GIVEN = 40
KEPT_BY_GIVEN = 8  # numbers that are kept for every number that is given, where that is more
BITS = 100_000  # the precision of an enclosure
FIGURE_DIGITS = 9_999  # decimal digits before the point of a figure
DIGITS = 50  # decimals that can be asked for
LABELS = 100_000  # tokens, or labels of another axis
PROBLEMS = 100  # problems of one file that are listed
SYMBOLS = 26  # free symbols of one scenario
MATRIX_EXPONENT = 64  # the highest power of a matrix, of products or of entries
SYMBOL_EXPONENT = 64  # the highest power of an expression with free symbols
POLYNOMIAL_TERMS = 400  # terms that a given entry with free symbols may have when it is multiplied out
TIDIED_PIECES = 400  # pieces of an expression in symbols beyond which it is left as it is
CLOSED_FORMS = 50_000  # numbers and letters that all entries of a matrix in symbols may hold together (an estimate)
# Numbers and letters (an estimate) up to which an entry in symbols is computed at all.
CLOSED_FORM = 1_000
ANSWER_BYTES = 5_000_000  # a file of students' answers
ANSWER_CHARACTERS = 60  # characters of one cell of an answer
ANSWER_EXPONENT = 1_000  # the highest power of e in an answer
ANSWER_CELLS = 200_000  # cells of all answers in one file
STUDENTS = 5_000  # students whose answers are in one file
STUDENT_CHARACTERS = 100  # characters of a student's name
EXERCISES = 10_000  # exercises of one file, or of one batch
EXERCISES_CHARACTERS = 200_000_000  # characters of a file of exercises
EXERCISE_SOURCE = 100_000  # characters of the scenario of one exercise
EXERCISE_TEXT = 20_000  # characters of a sentence or a formula of an exercise
EXERCISE_NAME = 100  # characters of a name in an exercise
EXERCISE_PARTS = 100  # parts of one exercise
EXERCISE_SIDE = 64  # rows and columns of a part
EXERCISE_MISTAKES = 1_000  # answers of mistakes that one exercise holds
EXERCISE_NUMBER = 10**18  # the largest seed, version or cost of an exercise
DOCUMENT_BYTES = 20_000_000  # a document that is checked
DOCUMENT_DEPTH = 40  # nesting of a formula in a document that is checked: what is deeper is told as not read
DOCUMENT_TERMS = 200  # operations inside each other in one expression of a document, as in a long sum
DOCUMENT_STEPS = (
    32_000_000  # steps that a document may cost to check, half of them to read: what is left is told as such
)
