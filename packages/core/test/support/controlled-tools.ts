import type { Tool } from "@toolweave/core";
import { tool } from "./executor-for.ts";

/** Tools that end when a test says so, and what it sees of them meanwhile. */
export interface ControlledTools {
  readonly tools: readonly Tool[];
  /** The names of those that run now, in the order in which they started. */
  readonly running: readonly string[];
  /** The names of those that have started, whatever came of them. */
  readonly started: readonly string[];
  /** The names of those whose signal has fired. */
  readonly aborted: readonly string[];
  readonly finish: (name: string) => void;
}

/** Tools of these names, each of which answers with its own. They do not end by being aborted. */
export function controlledTools(names: readonly string[]): ControlledTools {
  const running: string[] = [];
  const started: string[] = [];
  const aborted: string[] = [];
  const finish = new Map<string, () => void>();
  const tools = names.map((name) =>
    tool(name, (_, { signal }) => {
      running.push(name);
      started.push(name);
      signal.addEventListener("abort", () => aborted.push(name));
      return new Promise<string>((resolve) =>
        finish.set(name, () => {
          running.splice(running.indexOf(name), 1);
          resolve(name);
        }),
      );
    }),
  );
  return { tools, running, started, aborted, finish: (name) => finish.get(name)?.() };
}
