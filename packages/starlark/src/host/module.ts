import { StarlarkError } from "../error.ts";
import type { SourceProblem } from "../error.ts";
import { nearestName } from "../resolve/spelling.ts";
import { resolveFile } from "../resolve/resolver.ts";
import type { ResolvedFile } from "../resolve/resolver.ts";
import { lowerFunction } from "../lower/module.ts";
import { Thread } from "../run/thread.ts";
import type { ThreadOptions } from "../run/thread.ts";
import { universe } from "../lib/universe.ts";
import { toText } from "../values/format-value.ts";
import { freezeValue } from "../values/freeze.ts";
import { Builtin, StarlarkFunction } from "../values/function.ts";
import type { NamedArguments, Value } from "../values/value.ts";
import { toTuple } from "../values/tuple.ts";
import { fromUtf8 } from "../values/utf8.ts";
import type { Statement } from "../syntax/ast.ts";
import { toDialect } from "../syntax/dialect.ts";
import type { Dialect } from "../syntax/dialect.ts";
import { parseFile } from "../syntax/parser.ts";
import { SourceText } from "../syntax/source-text.ts";

/** How a source text is read. */
export interface CompileOptions {
  /** The name of the file in errors. Default: `script.star`. */
  readonly file?: string;
  /** What the file may use: `artifact`, `session`, or single options. Default: `artifact`. */
  readonly dialect?: Dialect | "artifact" | "session";
  /** The names that the host provides when the program runs. */
  readonly predeclared?: readonly string[];
}

/** A program that is ready to run. */
export class Program {
  readonly source: SourceText;
  readonly dialect: Dialect;
  readonly statements: readonly Statement[];
  readonly resolved: ResolvedFile;
  readonly predeclared: readonly string[];

  constructor(parts: Pick<Program, "source" | "dialect" | "statements" | "resolved" | "predeclared">) {
    this.source = parts.source;
    this.dialect = parts.dialect;
    this.statements = parts.statements;
    this.resolved = parts.resolved;
    this.predeclared = parts.predeclared;
  }
}

const maxSourceLength = 1024 * 1024;
const universalNames = new Set([...universe.keys(), "print"]);

/** Reads a program and checks it. Fails with all faults of the text. */
export function compile(text: string, options: CompileOptions = {}): Program {
  const source = new SourceText(options.file ?? "script.star", text);
  const dialect = toDialect(options.dialect);
  if (text.length > maxSourceLength) {
    throw new StarlarkError("limit_exceeded", `the source is longer than ${maxSourceLength} characters`);
  }
  const file = parseFile(text, { fstrings: dialect.fstrings === true });
  const predeclared = options.predeclared ?? [];
  const known = new Set(predeclared);
  const problems = [...file.problems];
  const resolved = resolveFile(file, {
    source,
    dialect,
    environment: {
      predeclared: (name) => known.has(name),
      universal: (name) => universalNames.has(name),
      names: [...universalNames, ...predeclared],
    },
  });
  // Names that a faulty statement would have bound are not reported as missing.
  if (problems.length === 0) problems.push(...resolved.problems);
  if (problems.length > 0) throw syntaxError(source, problems);
  return new Program({ source, dialect, statements: file.statements, resolved, predeclared });
}

function syntaxError(
  source: SourceText,
  found: readonly { readonly offset: number; readonly message: string }[],
): StarlarkError {
  const problems: SourceProblem[] = found.map(({ offset, message }) => ({ position: source.position(offset), message }));
  return new StarlarkError("invalid_syntax", problems[0]?.message ?? "", { problems });
}

/** What a program may use while it runs. */
export interface LoadOptions extends ThreadOptions {
  /** The values of the predeclared names. */
  readonly predeclared?: ReadonlyMap<string, Value> | Readonly<Record<string, Value>>;
  /** Returns the globals of a module that a program loads. */
  readonly load?: (name: string) => LoadedModule | Promise<LoadedModule>;
  /** Receives what `print` writes. Default: nothing happens. */
  readonly print?: (text: string) => void;
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

  /** Calls a global function. */
  call(name: string, args: Value[], options: ThreadOptions & { readonly named?: NamedArguments } = {}): Promise<Value> {
    const fn = this.globals.get(name);
    if (!(fn instanceof StarlarkFunction)) {
      throw new StarlarkError("execution_failed", `the program has no function ${name}`);
    }
    return new Thread(options).call(fn, args, options.named ?? []);
  }
}

/** Runs the statements of a program and freezes its globals. */
export async function load(program: Program, options: LoadOptions = {}): Promise<Module> {
  const { source, dialect, resolved } = program;
  const thread = new Thread(options);
  const values = new Array<Value | undefined>(resolved.variables.length).fill(undefined);
  const given = options.predeclared ?? {};
  const predeclared = given instanceof Map ? given : new Map(Object.entries(given));
  const code = lowerFunction(
    {
      context: {
        file: source.file,
        position: (offset) => source.position(offset),
        allowsRecursion: dialect.recursion === true,
      },
      variables: resolved.variables,
      values,
      predeclared,
      universe: new Map([...universe, ["print", printer(options.print)]]),
      separate: options.onOperation !== undefined,
      load: loader(options.load),
    },
    resolved.topLevel,
    program.statements,
  );
  const globals = new Map<string, Value>();
  await thread.call(new StarlarkFunction(code, [], []), []);
  for (const { name, kind, binding } of resolved.variables) {
    const value = values[binding.index];
    if (kind === "global" && value !== undefined) globals.set(name, value);
  }
  for (const value of globals.values()) freezeValue(value);
  return new Module(globals, thread);
}

function printer(print: ((text: string) => void) | undefined): Builtin {
  return new Builtin("print", (args, named) => {
    let separator = " ";
    for (const [name, value] of named) {
      if (name !== "sep" || typeof value !== "string") {
        throw new StarlarkError("execution_failed", `print: unexpected keyword argument "${fromUtf8(name)}"`);
      }
      separator = value;
    }
    print?.(fromUtf8(args.map(toText).join(separator)));
    return null;
  });
}

/** The built-in function behind `load`: it returns a tuple of the values of the names. */
function loader(find: LoadOptions["load"]): Builtin {
  return new Builtin("load", (args) => {
    const [name, ...wanted] = args.map((value) => fromUtf8(value as string)) as [string, ...string[]];
    if (find === undefined) throw new StarlarkError("execution_failed", "load not implemented by this application");
    const pick = (module: LoadedModule): Value =>
      toTuple(
        wanted.map((member) => {
          const value = module.globals.get(member);
          if (value !== undefined) return value;
          const nearest = nearestName(member, module.globals.keys());
          const hint = nearest === undefined ? "" : ` (did you mean ${nearest}?)`;
          throw new StarlarkError("execution_failed", `load: name ${member} not found in module ${name}${hint}`);
        }),
      );
    const cannotLoad = (error: unknown): never => {
      const message = error instanceof Error ? error.message : String(error);
      throw new StarlarkError("execution_failed", `cannot load ${name}: ${message}`, { cause: error });
    };
    let found: LoadedModule | Promise<LoadedModule>;
    try {
      found = find(name);
    } catch (error) {
      return cannotLoad(error);
    }
    return found instanceof Promise ? found.catch(cannotLoad).then(pick) : pick(found);
  });
}
