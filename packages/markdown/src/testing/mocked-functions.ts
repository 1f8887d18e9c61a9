import { defineTool, ToolError, type Tool } from "@toolweave/core";
import { StarlarkError, type HostValue, type Value } from "@toolweave/starlark";
import { givenArguments, qualifiedName } from "../builtins/bind.ts";
import type {
  BuiltinArguments,
  BuiltinFunction,
  ScriptKind,
  ScriptScope,
} from "../builtins/builtin.ts";
import { RunCache } from "../builtins/state.ts";
import { predeclaredWith } from "../builtins/table.ts";
import { ScriptEffects } from "../effects/script-effects.ts";
import { FixedSource } from "./fixed-source.ts";
import { Mocks, notMocked, toAnswer, type MockAnswer } from "./mocks.ts";

/** The parts of a test that the functions of scripts use. They are new for each test. */
export class TestState {
  readonly mocks: Mocks = new Mocks();
  readonly fixed: FixedSource = new FixedSource();
  readonly cache: RunCache = new RunCache();
  /** The lines that scripts and the test have printed and logged. */
  readonly output: string[] = [];
  #depth = 0;

  /**
   * Makes a call of the test in a run of its own, where the check for functions that call themselves begins anew.
   *
   * @throws StarlarkError (by rejecting) for calls in calls without an end.
   */
  async nest<Result>(call: () => Promise<Result>): Promise<Result> {
    if (this.#depth >= maxDepth)
      throw new StarlarkError("execution_failed", `more than ${maxDepth} calls in calls of a test`);
    this.#depth++;
    try {
      return await call();
    } finally {
      this.#depth--;
    }
  }
}

const maxDepth = 20;

/** Ends a function whose effect a mock has answered. */
class Answered extends Error {
  readonly value: HostValue;

  constructor(value: HostValue) {
    super();
    this.value = value;
  }
}

/**
 * The functions of scripts in tests. An effect runs through the executor as usual, up to its local tool, which is a mock: the
 * access that the file declares and its limits are the real ones. Time, random numbers and ids are the same in every run.
 */
export class MockedFunctions {
  readonly #values = new Map<ScriptKind, Readonly<Record<string, Value>>>();
  /** The state of the test that runs. */
  state: TestState = new TestState();
  /** The answer for the local tool that is called next: a script makes one call at a time. */
  #next: { readonly name: string; readonly answer: MockAnswer | undefined } | undefined;

  /** The values of the predeclared names. */
  readonly predeclared = (kind: ScriptKind): Readonly<Record<string, Value>> => {
    let values = this.#values.get(kind);
    if (values === undefined) {
      values = predeclaredWith(kind, (fn) => this.#mocked(fn));
      this.#values.set(kind, values);
    }
    return values;
  };

  /** The local tools: one for each name that a script has called. */
  readonly effects: ScriptEffects = new MockedEffects();

  #mocked(fn: BuiltinFunction): BuiltinFunction {
    const { call } = fn;
    if (call === undefined || fn.isPure) return fn;
    const name = qualifiedName(fn);
    return {
      ...fn,
      call: async (args, scope) => {
        const { mocks, fixed } = this.state;
        const given = givenArguments(args);
        let answer = mocks.answer(name, given);
        if (answer?.kind === "call") {
          const [positional, named] = toCall(fn, given);
          const { call: mock } = answer;
          answer = toAnswer(fn, name, await this.state.nest(() => mock(positional, named)));
        }
        if (fn.capability === undefined || fn.capability === "tools") {
          if (answer === undefined && fn.capability === undefined)
            return fixed.has(name) ? fixed.call(name, args) : call(args, scope);
          return toValue(name, answer);
        }
        try {
          await call(args, this.#probe(scope, name, answer));
        } catch (error) {
          if (error instanceof Answered) return error.value;
          throw error;
        }
        return toValue(name, answer);
      },
    };
  }

  /** The scope of a function with an effect: its first effect is its only one, and has the answer of the mock. */
  #probe(scope: ScriptScope, name: string, answer: MockAnswer | undefined): ScriptScope {
    return {
      cache: scope.cache,
      env: scope.env,
      signal: scope.signal,
      now: () => scope.now(),
      random: () => scope.random(),
      log: (level, message) => scope.log(level, message),
      listTools: () => scope.listTools(),
      callTool: (tool, args) => scope.callTool(tool, args),
      effect: async (tool, args) => {
        this.#addTool(tool);
        this.#next = { name, answer };
        await scope.effect(tool, args);
        throw new Answered(toValue(name, answer));
      },
    };
  }

  #addTool(name: string): void {
    const { tools } = this.effects;
    if (tools.some(({ spec }) => spec.name === name)) return;
    const tool: Tool = defineTool({
      name,
      description: "A mock.",
      input: { type: "object" },
      execute: () => {
        const next = this.#next;
        this.#next = undefined;
        try {
          toValue(next?.name ?? name, next?.answer);
        } catch (error) {
          throw new ToolError("execution_failed", (error as Error).message, { retryable: false });
        }
        return null;
      },
    });
    tools.push(tool);
  }
}

/** The effects of scripts in tests: nothing is loaded, and all tools are mocks. */
class MockedEffects extends ScriptEffects {
  constructor() {
    super({ workspace: false, web: false });
  }

  override load(): Promise<void> {
    return Promise.resolve();
  }
}

function toValue(name: string, answer: MockAnswer | undefined): HostValue {
  if (answer?.kind === "value") return answer.value;
  const message = answer?.kind === "error" ? answer.message : notMocked(name);
  throw new StarlarkError("execution_failed", message);
}

/** The arguments as a script would write them: by position as long as none is left out, then by name. */
function toCall(
  { parameters }: BuiltinFunction,
  args: BuiltinArguments,
): [HostValue[], Record<string, HostValue>] {
  const missing = parameters.findIndex(({ name }) => !Object.hasOwn(args, name));
  const count = missing === -1 ? parameters.length : missing;
  const positional = parameters.slice(0, count).map(({ name }) => args[name]);
  const named = Object.fromEntries(
    parameters.slice(count).flatMap(({ name }) => (name in args ? [[name, args[name]]] : [])),
  ) as Record<string, HostValue>;
  return [positional, named];
}
