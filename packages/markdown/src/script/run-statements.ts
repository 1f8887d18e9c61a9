import { createHash } from "node:crypto";
import {
  hostFunction,
  load,
  Thread,
  type HostValue,
  type Program,
  type RunOptions,
  type RunResult,
} from "@toolweave/starlark";

/**
 * Runs the statements of a program without a function to call. The value is that of the first of these global variables
 * that the program has assigned; undefined: it has assigned none.
 *
 * @throws StarlarkError as `run` of @toolweave/starlark does.
 */
export async function runStatements(
  program: Program,
  { journal, ...options }: RunOptions,
  names: readonly string[],
): Promise<RunResult> {
  journal?.begin(digestProgram(program), "");
  const thread = new Thread(journal === undefined ? options : { ...options, effects: journal });
  const { globals } = await load(program, { ...options, thread });
  journal?.finish();
  const name = names.find((each) => globals.has(each));
  const value = name === undefined ? undefined : globals.get(name);
  let result: HostValue;
  if (value !== undefined) {
    // Converted within the budget of the run: lists that share their members can be endless when they are written out.
    const read = hostFunction("result", ([converted]) => void (result = converted), {
      effect: false,
    });
    await thread.call(read, [value]);
  }
  return { value: result, steps: thread.steps, memoryBytes: thread.memoryBytes };
}

function digestProgram({ source, dialect }: Program): string {
  return createHash("sha256")
    .update(`${JSON.stringify(dialect)}\n${source.text}`)
    .digest("hex");
}
