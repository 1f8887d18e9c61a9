import type { Tool, ToolContext, ToolOutput } from "@toolweave/core";
import { hanging, ofSpec, ofTool, type Mutant } from "./mutant.ts";

/** The tool that counts up, with a changed context. */
function counting(
  rule: string,
  what: string,
  change: (ctx: ToolContext) => Partial<Pick<ToolContext, "update" | "progress">>,
): Mutant {
  return ofTool(rule, "count_up", what, (tool) => ({
    invoke: (args, ctx) => tool.invoke(args, contextWith(ctx, change(ctx))),
  }));
}

function contextWith(ctx: ToolContext, parts: Partial<ToolContext>): ToolContext {
  const { update, progress } = ctx;
  return { ...{ update, progress, signal: ctx.signal }, ...parts } as ToolContext;
}

/** The tool that counts up, and a parallel ticker; a hundred times at most. */
function ticking(
  tool: Tool,
  stops: (end: Promise<unknown>, stop: () => void, signal: AbortSignal) => void,
): Partial<Tool> {
  return {
    invoke: async (args, ctx) => {
      let ticks = 0;
      const ticker = setInterval(() => {
        ticks += 1;
        if (ticks > 100) clearInterval(ticker);
        ctx.progress({ message: "still counting" });
      }, 3).unref();
      const end = Promise.resolve(tool.invoke(args, ctx));
      stops(end, () => clearInterval(ticker), ctx.signal);
      return end;
    },
  };
}

export const eventMutants: readonly Mutant[] = [
  counting("TW-EVENT-001", "updates that are held back", () => ({
    update: () => {},
    progress: () => {},
  })),
  hanging(
    ofTool("TW-EVENT-001", "count_up", "a call that stays at its last step", (tool) => ({
      invoke: async (args, ctx) => {
        await tool.invoke(args, ctx);
        return new Promise(() => {});
      },
    })),
  ),
  ofTool("TW-EVENT-001", "count_up", "updates that arrive after the end", (tool) => ({
    invoke: async (args, ctx) => {
      const kept: ToolOutput[] = [];
      const update = (output: ToolOutput): void => void kept.push(output);
      const answer = await tool.invoke(args, contextWith(ctx, { update, progress: () => {} }));
      setImmediate(() => kept.forEach((output) => ctx.update(output)));
      return answer;
    },
  })),
  counting("TW-EVENT-002", "updates with a block of their own kind", ({ update }) => ({
    update: ({ content }) => update({ content: [{ type: "log", lines: content } as never] }),
  })),
  counting("TW-EVENT-002", "updates with a map in them", ({ update }) => ({
    update: (output) => update({ ...output, value: new Map([["at", 1]]) as never }),
  })),
  counting("TW-EVENT-003", "a share of nothing", ({ progress }) => ({
    progress: ({ message }) => progress({ message: message ?? "", done: 0 / 0 }),
  })),
  counting("TW-EVENT-003", "numbers as texts", ({ progress }) => ({
    progress: ({ done }) => progress({ done: `${done}` as never }),
  })),
  counting("TW-EVENT-003", "minus one for an unknown total", ({ progress }) => ({
    progress: (given) => progress({ ...given, total: -1 }),
  })),
  ofTool("TW-EVENT-004", "count_up", "a ticker that is never stopped", (tool) =>
    ticking(tool, () => {}),
  ),
  ofTool("TW-EVENT-004", "count_up", "a last report that is not awaited", (tool) => ({
    invoke: async (args, ctx) => {
      const answer = await tool.invoke(args, ctx);
      setTimeout(() => ctx.progress({ message: "done" }), 5).unref();
      return answer;
    },
  })),
  ofTool("TW-EVENT-005", "count_up", "a ticker that only a success stops", (tool) =>
    ticking(tool, (end, stop) => {
      end.then(stop, () => {});
    }),
  ),
  ofTool("TW-EVENT-006", "count_up", "a tool that returns everything in its updates", (tool) => ({
    invoke: async (args, ctx) => {
      await tool.invoke(args, ctx);
    },
  })),
  ofTool("TW-EVENT-007", "count_up", "a context that the tool stores", (tool) => {
    let latest: ToolContext | undefined;
    return {
      invoke: (args, ctx) => {
        latest = ctx;
        const update = (output: ToolOutput): unknown => latest?.update(output);
        const progress: ToolContext["progress"] = (given) => latest?.progress(given);
        return tool.invoke(args, contextWith(ctx, { update: update as never, progress }));
      },
    };
  }),
  ofSpec(
    "TW-EVENT-008",
    "a tool that does not say that it sends updates",
    () => ({ annotations: { openWorldHint: false } }),
    "count_up",
  ),
  counting("TW-EVENT-009", "a report for every byte", ({ progress }) => ({
    progress: (given) => {
      for (let byte = 0; byte < 400; byte++) progress(given);
    },
  })),
  counting("TW-EVENT-010", "progress that starts again with each step", ({ progress }) => ({
    progress: ({ total = 0, done = 0 }) => progress({ total, done: total - done }),
  })),
  counting("TW-EVENT-010", "progress beyond its end", ({ progress }) => ({
    progress: ({ total = 0, done = 0 }) => progress({ total, done: total + done }),
  })),
  counting("TW-EVENT-011", "a whole log as a message", ({ progress }) => ({
    progress: () => progress({ message: "nothing happened\n".repeat(100) }),
  })),
];
