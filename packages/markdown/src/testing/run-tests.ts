import { StarlarkError } from "@toolweave/starlark";
import { Coverage, type FileCoverage } from "./coverage.ts";
import { TestFile, type TestFailure } from "./test-file.ts";
import type { TestProgram } from "./find-tests.ts";

/** The result of one test. */
export interface TestResult {
  readonly file: string;
  /** The function; `(file)` for a file whose tests could not be started. */
  readonly name: string;
  readonly line: number;
  /** Everything that was wrong, in order; none: the test has passed. */
  readonly failures: readonly TestFailure[];
  /** The lines that the test and the scripts printed and logged. */
  readonly output: readonly string[];
}

/** The results of all tests. */
export interface TestRun {
  readonly results: readonly TestResult[];
  readonly passed: number;
  readonly failed: number;
  /** The artifacts beside the tests, in order of file. */
  readonly coverage: readonly FileCoverage[];
}

/** How tests are run. */
export interface TestRunOptions {
  /** The folder to which displayed paths are relative. Default: the current folder. */
  readonly root?: string;
  /** Ends the run. */
  readonly signal?: AbortSignal;
  /** Milliseconds that one test may compute. Default: 10,000. */
  readonly timeoutMs?: number;
  /** Receives each result when it is there. */
  readonly onResult?: (result: TestResult) => void;
}

/** The name of the result of a file whose tests could not be started. */
const fileResult = "(file)";

/**
 * Runs tests one after the other, in the order of files and of functions. Tools and hooks run as they do elsewhere, with the
 * real executor, but every effect is a mock: no process, file or network is reached.
 *
 * @throws the reason of `signal` (by rejecting) if it is aborted.
 */
export async function runTests(
  programs: readonly TestProgram[],
  options: TestRunOptions = {},
): Promise<TestRun> {
  const { root = process.cwd(), signal, timeoutMs = 10_000, onResult } = options;
  const coverage = new Coverage();
  const results: TestResult[] = [];
  const add = (result: TestResult): void => {
    signal?.throwIfAborted();
    results.push(result);
    onResult?.(result);
  };
  for (const program of programs) {
    signal?.throwIfAborted();
    const { file, line } = program.script.place;
    const tests = new TestFile(program, { root, coverage, timeoutMs, ...(signal && { signal }) });
    try {
      const names = await tests.load();
      if (names.length === 0) {
        const message = "the file has no test: write def test_something(t)";
        const failures = [{ ...program.script.place, message }];
        add({ file, name: fileResult, line, failures, output: [] });
      }
      for (const { name, line: start } of names)
        add({ file, name, line: start, ...(await tests.run(name)) });
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof StarlarkError)) throw error;
      const failures = tests.toFailures(error);
      add({ file, name: fileResult, line, failures, output: tests.output });
    } finally {
      await tests.close();
    }
  }
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  return { results, passed: results.length - failed, failed, coverage: coverage.report() };
}
