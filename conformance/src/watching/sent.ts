import type { Tool, ToolContext, ToolOutput, ToolProgress } from "@toolweave/core";
import { around } from "../execution/sample-run.ts";

/** Something that a running tool sent. */
export type Sent =
  | { readonly kind: "update"; readonly given: ToolOutput }
  | { readonly kind: "progress"; readonly given: ToolProgress };

/** Is told of what a tool sends: by which of its calls, and whether that runs. */
export type OnSent = (sent: Sent, callId: string) => void;

/** The tools; what they send is told before it goes on. */
export function watchSent(tools: readonly Tool[], onSent: OnSent): Tool[] {
  return tools.map((tool) =>
    around(tool, { invoke: (args, ctx) => tool.invoke(args, watchedContext(ctx, onSent)) }),
  );
}

/** A view of the context, whose own parts go on seeing the context itself. */
function watchedContext(ctx: ToolContext, onSent: OnSent): ToolContext {
  const update: ToolContext["update"] = (given) => {
    onSent({ kind: "update", given: kept(given) }, ctx.callId);
    return ctx.update(given);
  };
  const progress: ToolContext["progress"] = (given) => {
    onSent({ kind: "progress", given: kept(given) }, ctx.callId);
    ctx.progress(given);
  };
  return new Proxy(ctx, {
    get(target, name) {
      if (name === "update") return update;
      if (name === "progress") return progress;
      return Reflect.get(target, name, target) as unknown;
    },
  });
}

/** As it is now: a tool may go on filling what it has sent. What cannot be copied stays as it is. */
function kept<T>(given: T): T {
  try {
    return structuredClone(given);
  } catch {
    return given;
  }
}
