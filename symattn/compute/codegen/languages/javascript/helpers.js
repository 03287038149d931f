"use strict";

// The functions of JavaScript that are not derived from equations. A matrix is a list of its rows.

/** @typedef {number[][]} Matrix */
/** @typedef {Matrix | number} Operand */

// f of every place from 0 to n - 1.
/** @type {<T>(n: number, f: (place: number) => T) => T[]} */
function list(n, f) {
  return Array.from({ length: n }, (_, place) => f(place));
}

// What f says of every place from 0 to n - 1, added up.
/** @type {(n: number, f: (place: number) => number) => number} */
function sum(n, f) {
  let total = 0;
  for (let place = 0; place < n; place++) total += f(place);
  return total;
}

// The largest of what f says of every place from 0 to n - 1.
/** @type {(n: number, f: (place: number) => number) => number} */
function largest(n, f) {
  return list(n, f).reduce((x, y) => Math.max(x, y), -Infinity);
}

// f of the entries that stand in the same place; a row, a column or a number is repeated.
/** @type {(f: (...entries: number[]) => number, ...operands: Operand[]) => Matrix} */
function entries(f, ...operands) {
  const matrices = operands.map((A) => (typeof A === "number" ? [[A]] : A));
  const rows = Math.max(...matrices.map((A) => A.length));
  const columns = Math.max(...matrices.map((A) => A[0].length));
  /** @type {(i: number, j: number) => number[]} */
  const at = (i, j) => matrices.map((A) => A[i % A.length][j % A[0].length]);
  return list(rows, (i) => list(columns, (j) => f(...at(i, j))));
}

// The matrices added up, place by place.
/** @type {(...operands: Operand[]) => Matrix} */
function added(...operands) {
  return entries((...terms) => terms.reduce((x, y) => x + y), ...operands);
}

// A number times a matrix.
/** @type {(c: number, A: Operand) => Matrix} */
function scaled(c, A) {
  return entries((x) => c * x, A);
}

// A matrix divided by a number.
/** @type {(A: Operand, c: number) => Matrix} */
function divided(A, c) {
  return entries((x) => x / c, A);
}

// The rows of A times the columns of B.
/** @type {(A: Matrix, B: Matrix) => Matrix} */
function product(A, B) {
  return A.map((row) => B[0].map((_, j) => sum(row.length, (k) => row[k] * B[k][j])));
}

// A square matrix times itself, k factors in all.
/** @type {(A: Matrix, k: number) => Matrix} */
function matrix_power(A, k) {
  return k > 1 ? product(matrix_power(A, k - 1), A) : A;
}

// Rows as columns.
/** @type {(A: Matrix) => Matrix} */
function transposed(A) {
  return A[0].map((_, j) => A.map((row) => row[j]));
}

// Matrices side by side.
/** @type {(...matrices: Matrix[]) => Matrix} */
function beside(...matrices) {
  return matrices[0].map((_, i) => matrices.flatMap((A) => A[i]));
}

// What is left of x / y, with the sign of y.
/** @type {(x: number, y: number) => number} */
function mod(x, y) {
  return x - y * Math.floor(x / y);
}

// The error function, which JavaScript itself does not have: up to 1 by its series, then by
// the continued fraction of what is missing to 1. The relative error is less than 1e-15.
/** @type {(x: number) => number} */
function erf(x) {
  const z = Math.abs(x);
  if (z > 6) return Math.sign(x);
  if (z < 1) {
    let term = x;
    let total = x;
    for (let n = 1; n < 25; n++) {
      term *= (-x * x) / n;
      total += term / (2 * n + 1);
    }
    return (2 / Math.sqrt(Math.PI)) * total;
  }
  let below = z;
  for (let n = 200; n > 0; n--) below = z + n / 2 / below;
  return Math.sign(x) * (1 - Math.exp(-z * z) / Math.sqrt(Math.PI) / below);
}

// Degrees between every row of X and every row of Y; atan2 keeps the digits that acos loses
// near 0 and 180.
/** @type {(X: Matrix, Y: Matrix) => Matrix} */
function angle(X, Y) {
  /** @type {(row: number[]) => number[]} */
  const unit = (row) => row.map((x) => x / Math.hypot(...row));
  return X.map(unit).map((u) =>
    Y.map(unit).map((v) => {
      const apart = Math.hypot(...u.map((x, k) => x - v[k]));
      const together = Math.hypot(...u.map((x, k) => x + v[k]));
      return (360 / Math.PI) * Math.atan2(apart, together);
    }),
  );
}

// The columns, counted from 0, of a row from its largest entry to its smallest, the first
// ones first where they tie.
/** @type {(row: number[]) => number[]} */
function ranked(row) {
  /** @type {(i: number, j: number) => number} */
  const order = (i, j) => Number(row[j] > row[i]) - Number(row[i] > row[j]) || i - j;
  return row.map((_, j) => j).sort(order);
}

// The column of the largest entry of each row, counted from 0, the first one where several tie.
/** @type {(P: Matrix) => Matrix} */
function argmax(P) {
  return P.map((row) => [row.some(Number.isNaN) ? NaN : ranked(row)[0]]);
}

// 1 for the k largest entries of each row, the first ones where they tie, and 0 elsewhere.
/** @type {(P: Matrix, k: number) => Matrix} */
function top_k(P, k) {
  return P.map((row) => {
    const chosen = ranked(row).slice(0, k);
    return row.map((_, j) => (row.some(Number.isNaN) ? NaN : Number(chosen.includes(j))));
  });
}

// Decimals of what print_matrix prints.
const DECIMALS = 6;
const HALF = 5e-7;

// The name, then one line for each row; what rounds to 0 has no sign.
/** @type {(name: string, A: Matrix) => void} */
function print_matrix(name, A) {
  /** @type {(x: number) => string} */
  const written = (x) => {
    if (Math.abs(x) < HALF) return (0).toFixed(DECIMALS);
    if (Math.abs(x) < 1e21 || !Number.isFinite(x)) return x.toFixed(DECIMALS);
    return BigInt(x) + (0).toFixed(DECIMALS).slice(1);
  };
  const cells = A.map((row) => row.map(written));
  const width = Math.max(...cells.flat().map((cell) => cell.length));
  console.log(name);
  for (const row of cells) console.log(row.map((cell) => cell.padStart(width)).join("  "));
}
