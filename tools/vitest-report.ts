/** One test in vitest's JSON report; `fullName` joins the names of its suites and its own by spaces. */
export interface ReportedTest {
  readonly status: 'passed' | 'failed' | 'skipped' | 'pending' | 'todo' | 'disabled';
  readonly fullName: string;
  /** Titles of the suites around it, outermost first. */
  readonly ancestorTitles: readonly string[];
  /** With their stacks; absent where it did not fail. */
  readonly failureMessages?: readonly string[];
}

/** One file in vitest's JSON report; `name` is its absolute path. */
export interface ReportedFile {
  readonly name: string;
  readonly status: string;
  /** What failed outside its tests; empty where nothing did. */
  readonly message?: string;
  readonly assertionResults: readonly ReportedTest[];
}

/** Vitest's JSON report, as far as it is read here. */
export interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly ReportedFile[];
}
