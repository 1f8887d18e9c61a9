import type { JsonObject, Tool } from "@toolweave/core";
import { ofTool, ofTools, type Mutant } from "./mutant.ts";
import { getTenant } from "./isolation.ts";

/** The healthy search with another function, which uses the tenant like the healthy one. */
function ofSearch(rule: string, what: string, change: (tool: Tool) => Partial<Tool>): Mutant {
  return ofTool(rule, "find_book", what, (tool) => {
    const { invoke = tool.invoke.bind(tool), ...parts } = change(tool);
    return {
      ...parts,
      invoke: (args, ctx) => {
        getTenant(ctx);
        return invoke(args, ctx);
      },
    };
  });
}

/** A tool whose schema of the arguments accepts any object after it has been read thirty times. */
function forgetful(tool: Tool): Tool {
  let reads = 0;
  return {
    ...tool,
    invoke: tool.invoke.bind(tool),
    get argumentsSchema() {
      reads += 1;
      return reads > 30 ? { type: "object" } : tool.spec.inputSchema;
    },
  };
}

export const callMutants: readonly Mutant[] = [
  ofTools("TW-CALL-001", "a schema of the arguments that loses its properties", (tools) =>
    tools.map((tool) => (tool.spec.name === "add" ? forgetful(tool) : tool)),
  ),
  ofTool("TW-CALL-002", "add", "a tool that always throws", () => ({
    invoke: () => {
      throw new Error("not implemented");
    },
  })),
  ofTool("TW-CALL-003", "find_book", "validate that throws if a property is omitted", () => ({
    validate: (args) => {
      const { to } = args["published"] as { to?: number };
      return to === 0 ? [{ path: "/published/to", message: "must not be 0" }] : undefined;
    },
  })),
  ofTool("TW-CALL-003", "find_book", "validate that returns true for valid arguments", () => ({
    validate: () => true as never,
  })),
  ofTool("TW-CALL-003", "find_book", "validate that returns a path with dots", () => ({
    validate: ({ title }) =>
      title === "Emma" ? undefined : [{ path: "title", message: "must be Emma" }],
  })),
  ofTool("TW-CALL-004", "find_book", "a global regular expression that keeps its lastIndex", () => {
    const pattern = /^[a-z0-9]/gi;
    return {
      validate: ({ title }) =>
        title === "Emma" || pattern.test(String(title))
          ? undefined
          : [{ path: "/title", message: "must begin with a letter" }],
    };
  }),
  ofTool("TW-CALL-005", "find_book", "validate that fills in defaults", () => ({
    validate: (args) => {
      (args as { tags?: string[] }).tags ??= [];
      return undefined;
    },
  })),
  ofTool("TW-CALL-006", "add", "a tool that takes its arguments by position", () => ({
    invoke: (args) => {
      const [a, b] = Object.values(args);
      return 2 * Number(a) + Number(b);
    },
  })),
  ofTool("TW-CALL-007", "greet", "an answer that can be read once", () => {
    const answer = new Response("hello");
    return { invoke: () => answer };
  }),
  ofTool("TW-CALL-008", "greet", "a tool that assumes that callers have roles", () => ({
    invoke: (_, { caller }) =>
      caller === undefined || !(caller.roles as string[]).includes("guest") ? "hello" : "who?",
  })),
  ofSearch("TW-CALL-009", "a period that is expected to have an end", () => ({
    invoke: ({ title, published }) => {
      const { to } = (published ?? { to: 0 }) as { to: number };
      if (title === "Emma") return [];
      return [{ title: title ?? "", to: to.toFixed(0) }];
    },
  })),
  ofSearch("TW-CALL-009", "an error that the tool catches and passes on", () => ({
    invoke: (args) => {
      if (args["order"] === undefined) return [];
      const text = "Cannot read properties of undefined (reading 'asc')";
      return { content: [{ type: "text", text }], isError: true };
    },
  })),
  ofSearch("TW-CALL-010", "an empty title", () => ({
    invoke: ({ title }) => [(String(title)[0] as string).toUpperCase()],
  })),
  ofSearch("TW-CALL-010", "an empty list that is reduced", () => ({
    invoke: ({ tags = ["none"] }) =>
      (tags as string[]).reduce((all: string, tag: string) => `${all}, ${tag}`),
  })),
  ofTool("TW-CALL-011", "add", "an answer that is a text when there is a note", () => ({
    invoke: ({ a, b, note }) => {
      const sum = Number(a) + Number(b);
      return note === undefined ? sum : `${sum} (${String(note)})`;
    },
  })),
  ofTool("TW-CALL-012", "draw", "an image without a type when a size is given", (tool) => ({
    invoke: (args, ctx) =>
      args["size"] === undefined
        ? tool.invoke(args, ctx)
        : { content: [{ type: "image", data: "iVBORw0KGgo=" } as never] },
  })),
  ofSearch("TW-CALL-013", "a property that is expected and not required", () => ({
    invoke: ({ title, published }) => [
      { title: title ?? "", ...pickFrom(published as JsonObject) },
    ],
  })),
  ofSearch("TW-CALL-014", "a handler for each argument that it knows", () => {
    const handlers: Record<string, (value: unknown) => string> = {
      title: String,
      published: (value) => JSON.stringify(value),
      tags: (value) => JSON.stringify(value),
      order: String,
    };
    const handle = (name: string, value: unknown): string =>
      (handlers[name] as (value: unknown) => string)(value);
    return {
      invoke: (args) =>
        Object.keys(args)
          .sort()
          .map((name) => handle(name, args[name])),
    };
  }),
  ofTool("TW-CALL-015", "read_page", "a division by zero", () => ({
    invoke: ({ number }) => ({ number: number ?? 1, share: 1 / (Number(number ?? 1) - 1) }),
  })),
  ofTool("TW-CALL-024", "draw", "defaults that arguments are merged into", (tool) => ({
    invoke: (args, ctx) => {
      merge({ size: 1 }, args);
      return tool.invoke(args, ctx);
    },
  })),
];

function pickFrom({ from }: JsonObject): { from: string } {
  return { from: String(from) };
}

/** As it is often written. */
function merge(target: Record<string, unknown>, from: object): void {
  for (const [name, value] of Object.entries(from)) {
    if (typeof value !== "object" || value === null) target[name] = value;
    else merge((target[name] ??= {}) as Record<string, unknown>, value as object);
  }
}
