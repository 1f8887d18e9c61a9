import type { Tool } from "@toolweave/core";
import { tool } from "./executor-for.ts";

/** Tools that end on request of a test, and their observed state. */
export interface ControlledTools {
  readonly tools: readonly Tool[];
  /** The names of the running ones, in the order of their starts. */
  readonly running: readonly string[];
  /** The names of the started ones, however they ended. */
  readonly started: readonly string[];
  /** The names of the ones whose signal has fired. */
  readonly aborted: readonly string[];
  readonly finish: (name: string) => void;
}

/** Tools with these names, each of which answers with its own. An abort does not end them. */
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
