import { basename, dirname, join, relative, resolve, sep } from "node:path";
import {
  compile,
  load,
  StarlarkError,
  Thread,
  type LoadOptions,
  type Module,
  type SourcePosition,
  type ThreadOptions,
  type Value,
} from "@toolweave/starlark";
import type { ScriptScope } from "../builtins/builtin.ts";
import { compileOptions } from "../script/program.ts";
import { ScriptLoader, type FindFile } from "../script/script-loader.ts";
import { fileFinder } from "../source/find-files.ts";
import type { Coverage } from "./coverage.ts";
import type { TestProgram } from "./find-tests.ts";
import { MockedFunctions, TestState } from "./mocked-functions.ts";
import { notMocked } from "./mocks.ts";
import { preludeFile, testLibrary, type Mismatch } from "./test-library.ts";
import { TestedArtifacts } from "./tested-artifacts.ts";

/** Something that was wrong in a test, with its place. */
export interface TestFailure extends Mismatch {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The calls that were active, if the test ended with an error. */
  readonly traceback?: string;
}

interface TestFileOptions {
  readonly root: string;
  readonly coverage: Coverage;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

type Operation = Parameters<NonNullable<LoadOptions["onOperation"]>>[0];

const maxMemoryBytes = 256 * 1024 * 1024;

/** The tests of one file, and the artifacts beside it. */
export class TestFile {
  readonly #program: TestProgram;
  readonly #options: TestFileOptions;
  readonly #functions = new MockedFunctions();
  readonly #artifacts: TestedArtifacts;
  #module: Module | undefined;
  #library: Value = null;
  #failures: TestFailure[] = [];
  /** The operation of the test that runs, or that has called what runs. */
  #operation: Operation | undefined;

  constructor(program: TestProgram, options: TestFileOptions) {
    this.#program = program;
    this.#options = options;
    this.#artifacts = new TestedArtifacts(program.path, {
      ...options,
      functions: this.#functions,
      findFile: (file) => this.#finder(resolve(options.root, file)),
    });
  }

  /** The lines that were printed since the last test began. */
  get output(): readonly string[] {
    return this.#functions.state.output;
  }

  /**
   * Runs the statements of the file.
   *
   * @returns the tests in their order.
   * @throws StarlarkError (by rejecting)
   */
  async load(): Promise<readonly { readonly name: string; readonly line: number }[]> {
    const { script, path } = this.#program;
    const program = compile(script.text, compileOptions(script, "test"));
    const tests = program.statements.flatMap((statement) =>
      statement.kind === "def" && statement.name.name.startsWith("test_")
        ? [{ name: statement.name.name, ...program.source.position(statement.start) }]
        : [],
    );
    const seen = new Set<string>();
    const twice = tests.filter(({ name }) => seen.has(name) || !seen.add(name));
    if (twice.length > 0) {
      const problems = twice.map(({ name, ...position }) => ({
        position,
        message: `there is another test ${name}: rename one of the two`,
      }));
      throw new StarlarkError("invalid_syntax", problems[0]?.message ?? "", { problems });
    }
    const { predeclared } = this.#functions;
    const limits = { steps: Infinity, memoryBytes: maxMemoryBytes };
    const onOperation = this.#recordOperation;
    const loader = new ScriptLoader(this.#finder(path), "test", limits, undefined, {
      predeclared,
      onOperation,
    });
    this.#module = await load(program, {
      ...this.#thread(),
      predeclared: predeclared("test"),
      print: (line) => void this.#functions.state.output.push(line),
      load: loader.load,
    });
    this.#library = await testLibrary({
      functions: this.#functions,
      place: () => this.#place(),
      report: (mismatch, place) => this.#report(mismatch, place),
      callTool: (name, args) => this.#artifacts.callTool(name, args),
      callHook: (name, event, payload) => this.#artifacts.callHook(name, event, payload),
      thread: () => this.#thread(),
    });
    return tests;
  }

  /** Runs one test, with mocks of its own. */
  async run(
    name: string,
  ): Promise<{ readonly failures: readonly TestFailure[]; readonly output: readonly string[] }> {
    const state = new TestState();
    this.#functions.state = state;
    this.#failures = [];
    this.#operation = undefined;
    try {
      const test = (this.#module as Module).get(name);
      await new Thread(this.#thread()).call(test, [this.#library]);
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      if (!(error instanceof StarlarkError)) throw error;
      this.#failures.push(...this.toFailures(error));
    }
    return { failures: this.#failures, output: state.output };
  }

  /** The failures of an error: one for each fault of the text, or one. */
  toFailures(error: StarlarkError): readonly TestFailure[] {
    const { problems, message, callStack } = error;
    if (problems.length > 0)
      return problems.map(({ position, message: fault }) => ({ ...position, message: fault }));
    const places = callStack.flatMap(({ position }) =>
      position === undefined || position.file === preludeFile ? [] : [position],
    );
    const place = places.at(-1);
    const own = this.#program.script.place;
    return [
      {
        ...toPlace(place ?? { ...own }),
        message,
        ...(places.length > 1 ? { traceback: error.traceback } : {}),
      },
    ];
  }

  close(): Promise<void> {
    return this.#artifacts.close();
  }

  readonly #recordOperation = (operation: Operation): void => {
    if (operation.frame.code.module.file !== preludeFile) this.#operation = operation;
  };

  #place(): SourcePosition | undefined {
    const { frame, offset } = this.#operation ?? {};
    return offset === undefined ? undefined : frame?.code.module.position(offset);
  }

  #report(mismatch: Mismatch, place: SourcePosition | undefined): void {
    this.#failures.push({ ...toPlace(place ?? this.#program.script.place), ...mismatch });
  }

  #thread(): ThreadOptions {
    const { timeoutMs, signal } = this.#options;
    return {
      timeoutMs,
      maxMemoryBytes,
      context: this.#scope,
      onOperation: this.#recordOperation,
      ...(signal === undefined ? {} : { signal }),
    };
  }

  /** The scope of functions that the test calls itself: they are mocks, too. */
  get #scope(): ScriptScope {
    const { state } = this.#functions;
    return {
      cache: state.cache,
      env: {},
      signal: this.#options.signal,
      now: () => 0,
      random: () => 0,
      log: (level, message) => void state.output.push(`${level}: ${message}`),
      listTools: () => this.#artifacts.listTools(),
      effect: () => Promise.resolve(null),
      callTool: () =>
        Promise.reject(new StarlarkError("execution_failed", notMocked("meta.call_tool"))),
    };
  }

  /** Finds files in the folder of another file, whose displayed paths are relative to the root. */
  #finder(path: string): FindFile {
    const { root } = this.#options;
    const folder = dirname(path);
    const find = fileFinder(folder, basename(path));
    return (name) => {
      const found = find(name);
      if (found === undefined) return undefined;
      return { ...found, file: relative(root, join(folder, found.file)).split(sep).join("/") };
    };
  }
}

function toPlace({ file, line, column }: SourcePosition): SourcePosition {
  return { file, line, column };
}
