import type { Tool, ToolContext } from "@toolweave/core";
import { around } from "../execution/sample-run.ts";

/** What a call looked at of what its own run was given. */
export interface ReadParts {
  /** The names of injected values that it read. */
  readonly injected: Set<string>;
  /** The names of those that it copied with all others. */
  readonly copied: Set<string>;
  /** Of its context: `caller`, `sessionId`. */
  readonly own: Set<string>;
  /** The names of injected values that it set or deleted. */
  readonly changed: Set<string>;
}

const ownParts: readonly string[] = ["caller", "sessionId"];

/** Nothing so far. */
export function noParts(): ReadParts {
  return { injected: new Set(), copied: new Set(), own: new Set(), changed: new Set() };
}

/** The tools; what one of them reads of its run is put down in `parts`. */
export function readingTools(tools: readonly Tool[], parts: ReadParts): Tool[] {
  return tools.map((tool) =>
    around(tool, { invoke: (args, ctx) => tool.invoke(args, readingContext(ctx, parts)) }),
  );
}

/** A view of the context, whose own parts go on seeing the context itself. */
function readingContext(ctx: ToolContext, parts: ReadParts): ToolContext {
  return new Proxy(ctx, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (ownParts.includes(String(name))) parts.own.add(String(name));
      const isInjected = name === "injected" && typeof value === "object" && value !== null;
      return isInjected ? readingInjected(value, parts) : value;
    },
  });
}

function readingInjected(injected: object, parts: ReadParts): object {
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
