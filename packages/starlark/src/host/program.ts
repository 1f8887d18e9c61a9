import { fail, failLimit, nameHint, StarlarkError } from "../values/error.ts";
import { defineFunctions } from "../lib/builtin.ts";
import { join } from "../lib/string-methods.ts";
import { universe } from "../lib/universe.ts";
import { type ResolvedFile, resolveFile } from "../resolve/resolver.ts";
import type { Statement } from "../syntax/ast.ts";
import { type Dialect, type ParseOptions, toDialect } from "../syntax/tree.ts";
import { parseFile } from "../syntax/parser.ts";
import { SourceText } from "../syntax/source-text.ts";
import type { ModuleLowering } from "../lower/context.ts";
import { lowerFunction } from "../lower/statements.ts";
import { Thread, type ThreadOptions } from "../run/thread.ts";
import { checkValue } from "../values/check-value.ts";
import { toText } from "../values/format.ts";
import { Builtin, StarlarkFunction } from "../values/function.ts";
import { toTuple } from "../values/sequence.ts";
import { fromUtf8, toUtf8 } from "../values/utf8.ts";
import { freezeValue, type Value } from "../values/value.ts";
import { type HostValue, toHost, toStarlark } from "./convert.ts";
import { digestArguments, type Journal } from "./journal.ts";

/** How a source text is read. */
export interface CompileOptions extends ParseOptions {
  /** The names that the host provides when the program runs. */
  readonly predeclared?: readonly string[];
}

/** A program that is ready to run. */
export interface Program {
  readonly source: SourceText;
  readonly dialect: Dialect;
  readonly statements: readonly Statement[];
  readonly resolved: ResolvedFile;
  readonly predeclared: ReadonlySet<string>;
}

const maxSourceLength = 1024 * 1024;
const universalNames = new Set([...universe.keys(), "print"]);

/**
 * Reads a program and checks it. Fails with all faults of the text.
 *
 * @throws StarlarkError `invalid_syntax`, `limit_exceeded`; TypeError for an argument of the wrong kind.
 */
export function compile(text: string, options: CompileOptions = {}): Program {
  const source = new SourceText(options.file ?? "script.star", text, options.start);
  const dialect = toDialect(options.dialect);
  if (text.length > maxSourceLength)
    failLimit(`the source is longer than ${maxSourceLength} characters`);
  const file = parseFile(text, dialect);
  const predeclared = new Set(options.predeclared);
  const resolved = resolveFile(file, { source, dialect, predeclared, universal: universalNames });
  // Names that a faulty statement would have bound are not reported as missing.
  const { problems } = file.problems.length > 0 ? file : resolved;
  if (problems.length > 0) throw source.toError(problems);
  return { source, dialect, statements: file.statements, resolved, predeclared };
}

/** The environment of a program while it runs. */
export interface LoadOptions extends ThreadOptions {
  /** The values of the predeclared names. */
  readonly predeclared?: Readonly<Record<string, Value>>;
  /** Returns the globals of a module that a program loads. */
  readonly load?: (name: string) => LoadedModule | Promise<LoadedModule>;
  /** Receives what `print` writes. Default: nothing happens. */
  readonly print?: (text: string) => void;
  /** The budget to use, instead of a new one. */
  readonly thread?: Thread;
}

/** A module whose names other files may load. */
export type LoadedModule = Pick<Module, "globals">;

/** A program that ran: its global variables, which are frozen. */
export class Module {
  /** The global variables, by name. */
  readonly globals: ReadonlyMap<string, Value>;
  /** The budget that the program ran with. */
  readonly thread: Thread;

  constructor(globals: ReadonlyMap<string, Value>, thread: Thread) {
    this.globals = globals;
    this.thread = thread;
  }

  /** A global function. */
  get(name: string): StarlarkFunction {
    const fn = this.globals.get(name);
    if (fn instanceof StarlarkFunction) return fn;
    throw new StarlarkError("execution_failed", `the program has no function ${name}`);
  }

  /**
   * Calls a global function, in a budget of its own unless there is a `thread`. Arguments and the result are converted.
   *
   * @throws StarlarkError as `run` does.
   */
  async call(
    name: string,
    args: readonly HostValue[],
    options: ThreadOptions & Pick<RunOptions, "named" | "thread"> = {},
  ): Promise<HostValue> {
    const thread = options.thread ?? new Thread(options);
    const named = Object.entries(options.named ?? {}).map(
      ([key, value]) => [toUtf8(key), toStarlark(value)] as const,
    );
    const value = await thread.call(this.get(name), args.map(toStarlark), named);
    return thread.compute(() => toHost(value));
  }
}

/** Runs the statements of a program and freezes its globals. */
export async function load(program: Program, options: LoadOptions = {}): Promise<Module> {
  checkValue(typeof program?.resolved === "object", "load: program", program, "compile(text)");
  const thread = options.thread ?? new Thread(options);
  const module = prepareModule(program, options);
  const { variables, values } = module;
  const { topLevel } = program.resolved;
  const code = thread.compute(() => lowerFunction(module, topLevel, program.statements));
  await thread.call(new StarlarkFunction(code, [], []), []);
  const globals = new Map<string, Value>();
  for (const [index, { name, kind }] of variables.entries()) {
    const value = values[index];
    if (kind === "global" && value !== undefined) globals.set(name, value);
  }
  for (const value of globals.values()) freezeValue(value);
  return new Module(globals, thread);
}

/** The environment of the functions of a program while they run. */
function prepareModule(program: Program, options: LoadOptions): ModuleLowering {
  const { source, dialect } = program;
  const { variables } = program.resolved;
  const names = new Map([...universe, ...printer(options.print)]);
  const given = new Map(Object.entries(options.predeclared ?? {}));
  for (const name of program.predeclared) {
    const value = given.get(name);
    if (value === undefined)
      throw new TypeError(`The predeclared name ${name} of ${source.file} has no value.`);
    // Runs share these values: one must not change what another sees.
    freezeValue(value);
    names.set(name, value);
  }
  return {
    context: {
      file: source.file,
      position: (offset: number) => source.position(offset),
      allowsRecursion: dialect.recursion === true,
    },
    variables,
    values: variables.map(() => undefined),
    names,
    separate: options.onOperation !== undefined,
    load: loader(options.load),
  };
}

function printer(print: LoadOptions["print"]): [string, Value][] {
  const write = (args: Value[], separator = " "): void => {
    print?.(fromUtf8(join(separator, toTuple(args.map(toText)))));
  };
  return defineFunctions({ "print(*, sep: string?)": write }, "plain errors");
}

/** The built-in function behind `load`: it returns a tuple of the values of the names. */
function loader(find: LoadOptions["load"]): Builtin {
  return new Builtin("load", async (args) => {
    const [name = "", ...wanted] = args.map((value) => fromUtf8(value as string));
    if (find === undefined) return fail("load not implemented by this application");
    let found: LoadedModule;
    try {
      found = await find(name);
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new StarlarkError("execution_failed", `cannot load ${name}: ${message}`, { cause });
    }
    return toTuple(
      wanted.map((member) => {
        const value = found.globals.get(member);
        if (value !== undefined) return value;
        const hint = nameHint(member, found.globals.keys());
        return fail(toUtf8(`load: name ${member} not found in module ${name}${hint}`));
      }),
    );
  });
}

/** A call of a program from start to end. */
export interface RunOptions extends LoadOptions {
  /** The global function to call. Default: none, the statements of the program run only. */
  readonly call?: string;
  /** Its arguments. */
  readonly args?: readonly HostValue[];
  /** Its arguments by name. */
  readonly named?: Readonly<Record<string, HostValue>>;
  /** Records the effects, so that a run can continue in another process. */
  readonly journal?: Journal;
}

/** The result of a run, and what it used. */
export interface RunResult {
  /** The result of the function; `null` without one. */
  readonly value: HostValue;
  /** The work that was done, in the unit of `maxSteps`. */
  readonly steps: number;
  /** The bytes that were allocated. */
  readonly memoryBytes: number;
}

/**
 * Runs a program and calls one of its functions, in one budget.
 *
 * @throws StarlarkError `execution_failed`, `limit_exceeded`, `timeout` and `cancelled`; `interrupted` if a function of the
 *   host interrupts the run; `outcome_unknown` if the journal is of another program or another call. TypeError for an
 *   argument of the wrong kind.
 */
export async function run(program: Program, options: RunOptions = {}): Promise<RunResult> {
  const { journal, call, args = [], named = {} } = options;
  checkValue(typeof program?.resolved === "object", "run: program", program, "compile(text)");
  checkValue(Array.isArray(args), "run: args", args, "a list");
  if (journal !== undefined) {
    const digest = digestArguments(toHost(toStarlark([args, named])));
    journal.begin(await digestSource(program), `${call ?? ""}(${digest})`);
  }
  const thread = new Thread(journal === undefined ? options : { ...options, effects: journal });
  const module = await load(program, { ...options, thread });
  const value = call === undefined ? null : await module.call(call, args, { named, thread });
  journal?.finish();
  return { value, steps: thread.steps, memoryBytes: thread.memoryBytes };
}

async function digestSource({ source, dialect }: Program): Promise<string> {
  const text = new TextEncoder().encode(`${JSON.stringify(dialect)}\n${source.text}`);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
