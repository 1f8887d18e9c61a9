import { failLimit } from "../values/error.ts";
import { universe } from "../lib/universe.ts";
import { type ResolvedFile, resolveFile } from "../resolve/resolver.ts";
import type { Statement } from "../syntax/ast.ts";
import { type Dialect, toDialect } from "../syntax/dialect.ts";
import { parseFile } from "../syntax/parser.ts";
import { SourceText } from "../syntax/source-text.ts";
import type { ParseOptions } from "../syntax/tree.ts";

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
  readonly predeclared: readonly string[];
}

const maxSourceLength = 1024 * 1024;
const universalNames = new Set([...universe.keys(), "print"]);

/** Reads a program and checks it. Fails with all faults of the text. */
export function compile(text: string, options: CompileOptions = {}): Program {
  const source = new SourceText(options.file ?? "script.star", text, options.start);
  const dialect = toDialect(options.dialect);
  if (text.length > maxSourceLength)
    failLimit(`the source is longer than ${maxSourceLength} characters`);
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
  if (problems.length > 0) throw source.toError(problems);
  return { source, dialect, statements: file.statements, resolved, predeclared };
}
