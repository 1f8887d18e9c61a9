import type { JsonValue, ToolOutcome } from "@toolweave/core";
import { openProject, toolFile } from "./project.ts";

/** A project whose tools can be called by their names. */
export interface Opened {
  readonly call: (name: string, args?: object) => Promise<ToolOutcome>;
  readonly project: Awaited<ReturnType<typeof openProject>>;
}

/** Opens a project in which every call is allowed. */
export async function open(
  files: Readonly<Record<string, string>>,
  options: Parameters<typeof openProject>[1] = {},
): Promise<Opened> {
  const project = await openProject(files, { executor: { policy: "autonomous" }, ...options });
  return {
    project,
    call: (name, args = {}) =>
      project.executor.execute({ id: crypto.randomUUID(), name, arguments: args as never }),
  };
}

/** A project with one tool, `work`. */
export const tool = (script: string, head = ""): Readonly<Record<string, string>> => ({
  ".harness/tools/work.md": toolFile(script, head),
});

/** The outcome of a script. */
export async function run(script: string, args: object = {}, head = ""): Promise<ToolOutcome> {
  const { call } = await open(tool(script, head));
  return call("work", args);
}

/** The result of a script. */
export async function value(script: string, args: object = {}): Promise<JsonValue | undefined> {
  const outcome = await run(script, args);
  if (!outcome.ok) throw new Error(outcome.error?.message);
  return outcome.result.value;
}
