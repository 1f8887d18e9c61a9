import type { Tool } from "@toolweave/core";
import { around } from "../execution/sample-run.ts";
import { messageOf } from "../contract/finding.ts";
import { within } from "../context/within.ts";

/** A tool that goes on for longer than this has not stopped but come to its own end. */
const mostStopMs = 1000;

/** Tells when a tool begins and when it stops, whatever the executor makes of it. */
export class StopWatch {
  /** The tools, watched. */
  readonly tools: readonly Tool[];
  /** Resolves when one of them begins. */
  readonly started: Promise<void>;
  /** Resolves when one of them has come to an end. */
  readonly ended: Promise<void>;

  /** @param onStart is called before the tool is. */
  constructor(tools: readonly Tool[], onStart: () => void = () => {}) {
    let start = (): void => {};
    let end = (): void => {};
    this.started = new Promise<void>((resolve) => (start = resolve));
    this.ended = new Promise<void>((resolve) => (end = resolve));
    this.tools = tools.map((tool) =>
      around(tool, {
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

  /** What is wrong when the tool goes on although it was told to stop. */
  async goesOn(): Promise<string | undefined> {
    try {
      await within(this.ended, mostStopMs, "the tool's own end");
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }
}
