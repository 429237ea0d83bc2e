/**
 * What is said of rows of the specification. `tests`: a pattern over "file full-test-name" of tests that hold them, of which at least
 * one must have passed. `part`: the part of the project that the rows, or the rest of them, belong to and that is not built yet, or why
 * there is nothing to test. Neither: tests carry the row's id in brackets.
 */
export interface Claim {
  readonly rows: RegExp;
  readonly tests?: RegExp;
  readonly part?: string;
}
