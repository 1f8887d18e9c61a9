import { StarlarkError } from "../values/error.ts";
import type { SourcePosition, SourceProblem } from "../values/error.ts";
import { universe } from "../lib/universe.ts";
import { resolveFile } from "../resolve/resolver.ts";
import type { ResolvedFile } from "../resolve/resolver.ts";
import type { Statement } from "../syntax/ast.ts";
import { toDialect } from "../syntax/dialect.ts";
import type { Dialect } from "../syntax/dialect.ts";
import { parseFile } from "../syntax/parser.ts";
import { SourceText } from "../syntax/source-text.ts";

/** How a source text is read. */
export interface CompileOptions {
  /** The name of the file in errors. Default: `script.star`. */
  readonly file?: string;
  /**
   * The place of the text in the file, if it is a part of one: positions are those of the file. Every line begins at the
   * same column. Default: line 1, column 1.
   */
  readonly start?: Pick<SourcePosition, "line" | "column">;
  /** The features of the file: `artifact`, `session`, or single options. Default: `artifact`. */
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

  constructor(
    parts: Pick<Program, "source" | "dialect" | "statements" | "resolved" | "predeclared">,
  ) {
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
  const source = new SourceText(options.file ?? "script.star", text, options.start);
  const dialect = toDialect(options.dialect);
  if (text.length > maxSourceLength) {
    throw new StarlarkError(
      "limit_exceeded",
      `the source is longer than ${maxSourceLength} characters`,
    );
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
  const problems: SourceProblem[] = found.map(({ offset, message }) => ({
    position: source.position(offset),
    message,
  }));
  return new StarlarkError("invalid_syntax", problems[0]?.message ?? "", { problems });
}
