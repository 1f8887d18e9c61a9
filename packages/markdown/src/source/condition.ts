import { run, StarlarkError } from "@toolweave/starlark";
import type { HostValue, Value } from "@toolweave/starlark";
import type { ScriptText } from "../artifact/artifact.ts";
import { predeclared } from "../builtins/table.ts";
import { ScriptProgram } from "../script/program.ts";

const limits = { maxSteps: 100_000, maxMemoryBytes: 8 * 1024 * 1024, timeoutMs: 100 };

/**
 * An expression that decides something, such as `when` of a hook: it only computes, for 100 ms at most. A result that is
 * neither True nor False is an error.
 */
export class Condition {
  readonly #program: ScriptProgram;

  /** @param names the variables of the expression, in order. */
  constructor({ text, place }: ScriptText, names: readonly string[]) {
    // On a line of its own, so that the places of the expression are those of its file.
    const before = `condition = lambda ${names.join(", ")}: (\n`;
    this.#program = new ScriptProgram(
      { text: `${before}${text}\n)`, place: { ...place, line: place.line - 1 } },
      "condition",
    );
  }

  /** @throws StarlarkError (by rejecting) if the expression is invalid, fails, or its result is no bool. */
  async holds(values: readonly HostValue[]): Promise<boolean> {
    const { value } = await run(this.#program.program, {
      ...limits,
      call: "condition",
      args: values,
      predeclared: predeclared("condition") as Readonly<Record<string, Value>>,
    });
    if (typeof value === "boolean") return value;
    throw new StarlarkError("execution_failed", "a condition must be True or False");
  }
}
