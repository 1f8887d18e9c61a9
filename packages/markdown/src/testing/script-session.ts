import {
  compile,
  dialects,
  load,
  parse,
  Thread,
  toHost,
  valueFunction,
  type Module,
  type SyntaxTree,
  type Value,
} from "@toolweave/starlark";
import type { Capability, ScriptScope } from "../builtins/builtin.ts";
import { scanCapabilities } from "../builtins/capabilities.ts";
import { builtinNames, predeclared } from "../builtins/table.ts";
import { ScriptLoader, type FindFile } from "../script/script-loader.ts";
import type { Place } from "../text/finding.ts";

/** The parts of a session that its host provides. */
export interface SessionOptions {
  /** The effects of functions, and the values that they read. */
  readonly scope: ScriptScope;
  /** Receives what `print` writes. */
  readonly print: (line: string) => void;
  /** Receives the value of each expression at the top level, as `repr` writes it. `None` is left out. */
  readonly onValue: (text: string) => void;
  /** Finds the files that `load` names. Default: there are none. */
  readonly findFile?: FindFile;
}

const maxMemoryBytes = 256 * 1024 * 1024;

/** Values that take more steps to copy stay frozen. */
const maxCopySteps = 200_000;

const resultName = "_session_result";
const copyName = "_session_copy";
const storedName = (name: string): string => `_session_value_${name}`;

const dialect = { ...dialects.session, loadBindsGlobally: true };

const prelude = `
def write(value):
    return repr(value)

def copy(value):
    kind = type(value)
    if kind == "list":
        return [copy(item) for item in value]
    if kind == "dict":
        return {key: copy(item) for key, item in value.items()}
    if kind == "set":
        return set(value)
    if kind == "tuple":
        return tuple([copy(item) for item in value])
    return value
`;

/**
 * A program that is written input by input: names that one input defines are known in the next. A function keeps the values
 * that names had when it was defined. Lists, dicts and sets of earlier inputs can be changed: each input works on copies of
 * them, so that two names for one list become two lists in the next input.
 */
export class ScriptSession {
  readonly #options: SessionOptions;
  readonly #prelude: Promise<Module>;
  readonly #values = new Map<string, Value>();
  /** Names whose values are copied for each input. */
  readonly #copied = new Set<string>();
  readonly #texts: string[] = [];
  #inputs = 0;
  /** The work and the memory of the last input. */
  lastUse: { readonly steps: number; readonly memoryBytes: number } = { steps: 0, memoryBytes: 0 };

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#prelude = load(
      compile(prelude, { file: "<session>", dialect: { set: true, recursion: true } }),
    );
  }

  /** The names that inputs have defined, in order. */
  get names(): readonly string[] {
    return [...this.#values.keys()];
  }

  /** The capabilities that the texts of the inputs so far can use. */
  get capabilities(): ReadonlySet<Capability> {
    return scanCapabilities(this.#texts.join("\n"));
  }

  /**
   * Runs an input. Names that it defines before an error stay defined.
   *
   * @param place of the text. Default: an input of its own.
   * @throws StarlarkError (by rejecting)
   */
  async run(
    text: string,
    options: { readonly place?: Place; readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    const place = options.place ?? { file: `<input ${++this.#inputs}>`, line: 1, column: 1 };
    const { file, line, column } = place;
    const start = { line, column };
    // All faults of the syntax at once, before anything runs.
    const tree = parse(text, { file, start, dialect });
    if (tree.problems.length > 0) compile(text, { file, start, dialect });
    this.#texts.push(text);
    const { signal } = options;
    const thread = new Thread({
      maxMemoryBytes,
      context: this.#options.scope,
      ...(signal === undefined ? {} : { signal }),
    });
    try {
      for (const part of splitParts(tree)) await this.#runPart(part, thread);
    } finally {
      this.lastUse = { steps: thread.steps, memoryBytes: thread.memoryBytes };
    }
  }

  async #runPart({ text, place, isExpression }: Part, thread: Thread): Promise<void> {
    const helpers = await this.#prelude;
    const used = this.names.filter((name) => new RegExp(`\\b${name}\\b`).test(text));
    const values: Record<string, Value> = { [copyName]: helpers.get("copy") };
    const first = used.map((name) => {
      values[storedName(name)] = this.#values.get(name) ?? null;
      const stored = storedName(name);
      return `${name} = ${this.#copied.has(name) ? `${copyName}(${stored})` : stored}`;
    });
    // On a line of its own before the text: the places of the text stay.
    const before = [...first, ...(isExpression ? [`${resultName} = (`] : [])].join("; ");
    const program = compile(`${before}\n${text}\n${isExpression ? ")" : ""}`, {
      file: place.file,
      start: { line: place.line - 1, column: place.column },
      dialect,
      predeclared: [...builtinNames("session"), ...Object.keys(values)],
    });
    const loader = new ScriptLoader(this.#options.findFile ?? (() => undefined), "session", {
      steps: Infinity,
      memoryBytes: maxMemoryBytes,
    });
    const { globals } = await load(program, {
      predeclared: { ...predeclared("session"), ...values },
      print: this.#options.print,
      load: loader.load,
      thread,
    });
    for (const [name, value] of globals) {
      if (name !== resultName) await this.#define(name, value, helpers);
    }
    const result = globals.get(resultName);
    if (result === undefined || result === null) return;
    const write = valueFunction("write", ([value]) => value as Value);
    const written = await thread.call(helpers.get("write"), [result]);
    this.#options.onValue(toHost(await thread.call(write, [written])) as string);
  }

  async #define(name: string, value: Value, helpers: Module): Promise<void> {
    this.#values.set(name, value);
    this.#copied.delete(name);
    if (typeof value !== "object" || value === null) return;
    try {
      // A list that contains itself has no copy.
      await new Thread({ maxSteps: maxCopySteps, maxMemoryBytes }).call(helpers.get("copy"), [
        value,
      ]);
      this.#copied.add(name);
    } catch {
      // The value stays frozen.
    }
  }
}

/** Statements that run together: an expression alone, or others up to the next expression. */
interface Part {
  readonly text: string;
  readonly place: Place;
  readonly isExpression: boolean;
}

function splitParts({ text, statements, position }: SyntaxTree): readonly Part[] {
  const groups: { start: number; end: number; isExpression: boolean }[] = [];
  for (const { kind, start, end } of statements) {
    const isExpression = kind === "expression";
    const last = groups.at(-1);
    if (last === undefined || last.isExpression || isExpression)
      groups.push({ start, end, isExpression });
    else last.end = end;
  }
  return groups.map(({ start, end, isExpression }) => {
    const { file, line, column } = position(start);
    return { text: text.slice(start, end), place: { file, line, column }, isExpression };
  });
}
