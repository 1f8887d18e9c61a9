import type { Tool, ToolContext } from "@toolweave/core";
import { overrideTool } from "../execution/run-sample.ts";

/** The parts of its run's context that a call read. */
export interface ContextReads {
  /** The names of injected values that it read. */
  readonly injected: Set<string>;
  /** The names of injected values that it copied with all others. */
  readonly copied: Set<string>;
  /** The members of its context that it read: `caller`, `sessionId`. */
  readonly members: Set<string>;
  /** The names of injected values that it set or deleted. */
  readonly changed: Set<string>;
}

const contextMembers: readonly string[] = ["caller", "sessionId"];

/** Creates an empty record. */
export function createContextReads(): ContextReads {
  return { injected: new Set(), copied: new Set(), members: new Set(), changed: new Set() };
}

/** Wraps tools so that `parts` records what they read of their run. */
export function recordContextReads(tools: readonly Tool[], parts: ContextReads): Tool[] {
  return tools.map((tool) =>
    overrideTool(tool, { invoke: (args, ctx) => tool.invoke(args, wrapContext(ctx, parts)) }),
  );
}

/** A proxy of the context; its methods still receive the context itself as `this`. */
function wrapContext(ctx: ToolContext, parts: ContextReads): ToolContext {
  return new Proxy(ctx, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (contextMembers.includes(String(name))) parts.members.add(String(name));
      const isInjected = name === "injected" && typeof value === "object" && value !== null;
      return isInjected ? wrapInjected(value, parts) : value;
    },
  });
}

function wrapInjected(injected: object, parts: ContextReads): object {
  const { injected: read, copied, changed } = parts;
  return new Proxy(injected, {
    get(target, name) {
      if (Object.hasOwn(target, name)) read.add(String(name));
      return Reflect.get(target, name, target) as unknown;
    },
    ownKeys(target) {
      for (const name of Object.keys(target)) copied.add(name);
      return Reflect.ownKeys(target);
    },
    set(target, name, value) {
      changed.add(String(name));
      return Reflect.set(target, name, value);
    },
    deleteProperty(target, name) {
      changed.add(String(name));
      return Reflect.deleteProperty(target, name);
    },
  });
}
