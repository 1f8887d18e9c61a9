import type { Tool, ToolContext, ToolOutput } from "@toolweave/core";
import type { ToolProgress } from "@toolweave/core/adapter";
import { overrideTool } from "../execution/run-sample.ts";

/** An update or progress that a running tool sent. */
export type SentUpdate =
  | { readonly kind: "update"; readonly given: ToolOutput }
  | { readonly kind: "progress"; readonly given: ToolProgress };

/** Receives what a tool sends, with the id of its call. */
export type OnSent = (sent: SentUpdate, callId: string) => void;

/** Wraps tools so that `onSent` receives what they send. */
export function observeSent(tools: readonly Tool[], onSent: OnSent): Tool[] {
  return tools.map((tool) =>
    overrideTool(tool, { invoke: (args, ctx) => tool.invoke(args, wrapContext(ctx, onSent)) }),
  );
}

/** A proxy of the context; its methods still receive the context itself as `this`. */
function wrapContext(ctx: ToolContext, onSent: OnSent): ToolContext {
  const update: ToolContext["update"] = (given) => {
    onSent({ kind: "update", given: copyValue(given) }, ctx.callId);
    return ctx.update(given);
  };
  const progress: ToolContext["progress"] = (given) => {
    onSent({ kind: "progress", given: copyValue(given) }, ctx.callId);
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

/**
 * Copies a value, since a tool may modify what it has sent. A value that cannot be copied is
 * returned itself.
 */
function copyValue<T>(given: T): T {
  try {
    return structuredClone(given);
  } catch {
    return given;
  }
}
