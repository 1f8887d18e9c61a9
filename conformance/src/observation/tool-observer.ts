import type { Tool } from "@toolweave/core";
import { overrideTool } from "../execution/run-sample.ts";
import { formatError } from "../contract/finding.ts";
import { withTimeout } from "../context/deadline-budget.ts";

/** The maximum time in which a tool has to stop. */
const maxStopMs = 1000;

/** Observes when a tool starts and when it ends, independently of the executor. */
export class ToolObserver {
  /** The observed tools. */
  readonly tools: readonly Tool[];
  /** Resolves when one of the tools starts. */
  readonly started: Promise<void>;
  /** Resolves when one of the tools has ended. */
  readonly ended: Promise<void>;

  /** @param onStart called before the tool. */
  constructor(tools: readonly Tool[], onStart: () => void = () => {}) {
    let start = (): void => {};
    let end = (): void => {};
    this.started = new Promise<void>((resolve) => (start = resolve));
    this.ended = new Promise<void>((resolve) => (end = resolve));
    this.tools = tools.map((tool) =>
      overrideTool(tool, {
        invoke: async (args, ctx) => {
          onStart();
          start();
          try {
            return await tool.invoke(args, ctx);
          } finally {
            end();
          }
        },
      }),
    );
  }

  /**
   * The timeout message if the tool continues although it should have stopped; `undefined` if it
   * stopped.
   */
  async waitForStop(): Promise<string | undefined> {
    try {
      await withTimeout(this.ended, maxStopMs, "the end of the tool");
      return undefined;
    } catch (error) {
      return formatError(error);
    }
  }
}

/** The value that a tool itself returned or threw, before the executor processed it. */
type ToolAnswer = { readonly returned: unknown } | { readonly thrown: unknown };

/** Wraps tools so that `onGiven` receives what their calls return or throw. */
export function observeAnswers(
  tools: readonly Tool[],
  onGiven: (given: ToolAnswer) => void,
): Tool[] {
  return tools.map((tool) =>
    overrideTool(tool, {
      invoke: async (args, ctx) => {
        try {
          const returned = await tool.invoke(args, ctx);
          onGiven({ returned });
          return returned;
        } catch (thrown) {
          onGiven({ thrown });
          throw thrown;
        }
      },
    }),
  );
}
