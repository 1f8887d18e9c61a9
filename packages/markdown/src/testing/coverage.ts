import { parse, type LoadOptions, type SyntaxTree } from "@toolweave/starlark";
import type { ScriptText } from "../artifact/artifact.ts";

/** Which lines of one file its tests have executed. */
export interface FileCoverage {
  readonly file: string;
  /** The number of lines that can be executed. */
  readonly lines: number;
  readonly covered: number;
  /** The lines that were not executed, in order. */
  readonly uncovered: readonly number[];
}

type Operation = Parameters<NonNullable<LoadOptions["onOperation"]>>[0];
type Code = Operation["frame"]["code"];

/** Statements that are not counted: they have no operation of their own, or are executed when the file is loaded. */
const uncounted: ReadonlySet<string> = new Set(["def", "load", "pass", "break", "continue"]);

/** The statements of scripts, and those that were executed. */
export class Coverage {
  /** The statements by file: the line and column of the start and end of each. */
  readonly #statements = new Map<string, Map<string, Statement>>();
  readonly #sites = new Map<Code["module"], Set<number>>();

  /** Records an operation. */
  readonly record = ({ frame, offset }: Operation): void => {
    const { module } = frame.code;
    let sites = this.#sites.get(module);
    if (sites === undefined) this.#sites.set(module, (sites = new Set()));
    sites.add(offset);
  };

  /** Adds the statements of a script. */
  add({ text, place }: ScriptText): void {
    const { file, line, column } = place;
    const tree = parse(text, { file, start: { line, column }, dialect: "session" });
    let statements = this.#statements.get(file);
    if (statements === undefined) this.#statements.set(file, (statements = new Map()));
    for (const { start, end, isCounted } of readStatements(tree.statements)) {
      const from = tree.position(start);
      const statement = { from: toKey(from), to: toKey(tree.position(end)), isCounted };
      statements.set(`${statement.from}-${statement.to}`, { ...statement, line: from.line });
    }
  }

  /** The lines of each file, in order of file. */
  report(): readonly FileCoverage[] {
    const hits = this.#hits();
    return [...this.#statements.keys()].sort().map((file): FileCoverage => {
      const statements = [...(this.#statements.get(file) ?? new Map<string, Statement>()).values()];
      const lines = new Set(statements.flatMap((each) => (each.isCounted ? [each.line] : [])));
      const executed = new Set<number>();
      for (const hit of hits.get(file) ?? []) {
        const statement = innermost(statements, hit);
        if (statement?.isCounted === true) executed.add(statement.line);
      }
      const uncovered = [...lines].filter((line) => !executed.has(line)).toSorted((a, b) => a - b);
      return { file, lines: lines.size, covered: lines.size - uncovered.length, uncovered };
    });
  }

  /** The places of the executed operations by file. */
  #hits(): ReadonlyMap<string, readonly number[]> {
    const hits = new Map<string, number[]>();
    for (const [module, offsets] of this.#sites) {
      const known = hits.get(module.file) ?? [];
      for (const offset of offsets) known.push(toKey(module.position(offset)));
      hits.set(module.file, known);
    }
    return hits;
  }
}

interface Statement {
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly isCounted: boolean;
}

/** A place as one number, in the order of places. */
function toKey({ line, column }: { readonly line: number; readonly column: number }): number {
  return line * 1_000_000 + column;
}

function innermost(statements: readonly Statement[], place: number): Statement | undefined {
  let found: Statement | undefined;
  for (const statement of statements) {
    if (statement.from > place || statement.to <= place) continue;
    if (found === undefined || statement.from >= found.from) found = statement;
  }
  return found;
}

type SyntaxStatement = SyntaxTree["statements"][number];

interface Range {
  readonly start: number;
  readonly end: number;
  readonly isCounted: boolean;
}

/** The statements, the outer ones first. */
function* readStatements(statements: readonly SyntaxStatement[]): Generator<Range> {
  for (const statement of statements) {
    const { kind, start, end } = statement;
    const isDocstring = kind === "expression" && statement.value.kind === "literal";
    yield { start, end, isCounted: !uncounted.has(kind) && !isDocstring };
    if (kind === "if") {
      for (const [index, branch] of statement.branches.entries()) {
        // The conditions of further branches are executed, too.
        if (index > 0) yield { start: branch.start, end: branch.end, isCounted: true };
        yield* readStatements(branch.body);
      }
      yield* readStatements(statement.otherwise ?? []);
    } else if ("body" in statement) yield* readStatements(statement.body);
  }
}
