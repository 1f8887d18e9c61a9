import { compile, type Dialect, type Program } from "@toolweave/starlark";
import type { ScriptText } from "../artifact/artifact.ts";
import type { ScriptKind } from "../builtins/builtin.ts";
import { builtinNames } from "../builtins/table.ts";

const names = new Map<ScriptKind, readonly string[]>();

/** The options with which a script is compiled: its places are those of its file. */
export function compileOptions(
  { place }: Pick<ScriptText, "place">,
  kind: ScriptKind,
  dialect: Dialect = {},
  further: readonly string[] = [],
): NonNullable<Parameters<typeof compile>[1]> {
  let predeclared = names.get(kind);
  if (predeclared === undefined) names.set(kind, (predeclared = builtinNames(kind)));
  const { file, line, column } = place;
  return {
    file,
    start: { line, column },
    dialect: kind === "session" || kind === "test" ? "session" : dialect,
    predeclared: further.length === 0 ? predeclared : [...predeclared, ...further],
  };
}

/** A script that is compiled when it is first used. */
export class ScriptProgram {
  readonly script: ScriptText;
  readonly kind: ScriptKind;
  readonly #dialect: Dialect;
  #program: Program | undefined;

  constructor(script: ScriptText, kind: ScriptKind, dialect: Dialect = {}) {
    this.script = script;
    this.kind = kind;
    this.#dialect = dialect;
  }

  /** @throws StarlarkError `invalid_syntax` with all faults of the text, `limit_exceeded` for one that is too long. */
  get program(): Program {
    return (this.#program ??= compile(
      this.script.text,
      compileOptions(this.script, this.kind, this.#dialect),
    ));
  }
}
