"use strict";

// What a program in a page does otherwise: what has no value is NaN, and so is all that is made of it.

/** @typedef {number[][]} Matrix */

/** @type {(x: number, y: number) => number} */
function quotient(x, y) {
  return y === 0 ? NaN : x / y;
}

/** @type {(x: number, k: number) => number} */
function power(x, k) {
  return x === 0 && k < 0 ? NaN : Math.pow(x, k);
}

// A logarithm, but for that of 0.
/** @type {(x: number) => number} */
function valued(x) {
  return x === -Infinity ? NaN : x;
}

/** @type {(x: number) => number} */
function xlogx(x) {
  return x === 0 ? 0 : x * Math.log(x);
}

// Of what rounding alone has led out of the domain, up to 1e-12, the arccosine at its end.
/** @type {(x: number) => number} */
function arccosine(x) {
  return Math.acos(Math.abs(x) < 1 + 1e-12 ? Math.max(-1, Math.min(x, 1)) : x);
}

// The same for the root.
/** @type {(x: number) => number} */
function root(x) {
  return Math.sqrt(Math.abs(x) < 1e-12 ? Math.max(x, 0) : x);
}

// A row for each id, a whole number from 0 to n - 1.
/** @type {(ids: Matrix, n: number) => Matrix} */
function one_hot(ids, n) {
  const places = Array.from({ length: n }, (_, place) => place);
  return ids[0].map((id) => places.map((place) => (places.includes(id) ? Number(place === id) : NaN)));
}
