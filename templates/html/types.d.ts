// What Python writes before the other files: the program of the page.
declare const PROGRAM: ((givens: Record<string, number[][]>) => Record<string, number[][]>) | null;
