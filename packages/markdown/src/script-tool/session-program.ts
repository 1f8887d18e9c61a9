import { compile, parse, type Program } from "@toolweave/starlark";

/** The global variable that a script assigns its result to. */
export const resultName = "result";
/** The global variable with the value of the last statement, if that is an expression. */
export const lastName = "__last__";

/** The file name in the places of errors. */
const scriptFile = "script";

/**
 * Compiles a script of a model. If its last statement is an expression, its value is assigned to `lastName`; the places of
 * errors are those of the text as it was written.
 *
 * @throws StarlarkError `invalid_syntax` with all faults of the text.
 */
export function compileSession(text: string, predeclared: readonly string[]): Program {
  const options = { file: scriptFile, dialect: "session", predeclared } as const;
  const tree = parse(text, options);
  const last = tree.statements.at(-1);
  if (tree.problems.length > 0 || last?.kind !== "expression") return compile(text, options);
  const { start, end } = last;
  const prefix = `${lastName} = (`;
  const written = `${text.slice(0, start)}${prefix}${text.slice(start, end)})${text.slice(end)}`;
  const toOffset = (offset: number): number => {
    if (offset <= start) return offset;
    const moved = Math.max(start, offset - prefix.length);
    return moved <= end ? moved : moved - 1;
  };
  let program: Program;
  try {
    program = compile(written, options);
  } catch {
    // With the places of the text as it is.
    return compile(text, options);
  }
  program.source.position = (offset) => tree.position(toOffset(offset));
  return program;
}
