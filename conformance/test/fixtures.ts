import { defineTool, lazyProperty, type Tool, type ToolSource } from "@toolweave/core";
import { z } from "zod";
import type { Manifest } from "../src/index.ts";

/** Tools of every make, and the calls to try them with. `change` breaks what a mutant wants broken. */
export function toolsManifest(
  change: (tools: Tool[]) => readonly Tool[] = (tools) => tools,
): Manifest {
  const lines: string[] = [];
  return {
    name: "host tools",
    create: () => change(makeTools(lines)),
    samples: {
      succeedingCalls: [
        { tool: "add", arguments: { a: 1, b: 2 } },
        { tool: "draw", arguments: { shape: "dot" } },
        { tool: "find_book", arguments: { title: "Emma", published: { from: 1815 } } },
        { tool: "greet", arguments: {} },
      ],
      failingCalls: [{ tool: "open_door", arguments: { door: "north" } }],
      slowCalls: [{ tool: "wait", arguments: {} }],
      effectCalls: [
        { tool: "append_line", arguments: { line: "hello" }, count: () => lines.length },
      ],
    },
    injected: { tenant: "t1" },
  };
}

/** The same tools from a source that takes a moment to load. */
export function sourceManifest(
  change: (source: ToolSource) => ToolSource = (source) => source,
): Manifest {
  const lines: string[] = [];
  const manifest = toolsManifest();
  return {
    ...manifest,
    name: "a source",
    create: () => change(new LoadedSource(() => makeTools(lines))),
    samples: {
      ...manifest.samples,
      effectCalls: [
        { tool: "append_line", arguments: { line: "hello" }, count: () => lines.length },
      ],
    },
  };
}

/** A source that loads its list once. */
class LoadedSource implements ToolSource {
  readonly id = "fixture";
  readonly problems: readonly never[] = [];
  readonly ready: Promise<void>;
  #tools: readonly Tool[] = [];

  constructor(load: () => readonly Tool[]) {
    this.ready = new Promise((resolve) => {
      setImmediate(() => {
        this.#tools = load();
        resolve();
      });
    });
  }

  tools(): readonly Tool[] {
    return this.#tools;
  }

  onChange(): () => void {
    return () => {};
  }

  async close(): Promise<void> {
    this.#tools = [];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function makeTools(lines: string[]): Tool[] {
  return [add, appendLine(lines), draw, findBook, greet, new OpenDoor(), readPage, wait];
}

const add = defineTool({
  name: "add",
  description: "Add two numbers.",
  input: {
    type: "object",
    properties: {
      a: { type: "number", minimum: -1e9, maximum: 1e9 },
      b: { $ref: "#/$defs/number" },
      note: { type: ["string", "null"], maxLength: 20 },
    },
    required: ["a", "b"],
    additionalProperties: false,
    $defs: { number: { type: "number" } },
  },
  output: { type: "number" },
  annotations: { readOnlyHint: true, openWorldHint: false },
  execute: ({ a, b }) => Number(a) + Number(b),
});

const appendLine = (lines: string[]): Tool =>
  defineTool({
    name: "append_line",
    description: "Append a line to the log.",
    input: z.object({ line: z.string().min(1), level: z.enum(["info", "warning"]).optional() }),
    annotations: { destructiveHint: false, access: { filesystem: "write" } },
    needsApproval: ({ line }) => line.length > 3,
    execute: ({ line }) => {
      lines.push(line);
      return `${lines.length} lines`;
    },
  });

const draw = defineTool({
  name: "draw",
  description: "Draw a shape.",
  input: {
    type: "object",
    properties: { shape: { enum: ["dot", "line"] }, size: { type: "integer", minimum: 1 } },
    required: ["shape"],
  },
  annotations: { title: "Draw" },
  execute: ({ shape }) => ({
    content: [
      { type: "text", text: shape },
      { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
      { type: "resource_link", uri: "https://example.com/dot.png", name: "dot" },
      { type: "resource", resource: { uri: "memo:dot", text: "." } },
    ],
    value: { shape },
  }),
});

const bookSchema = {
  type: "object",
  properties: {
    title: { type: "string" },
    published: {
      type: "object",
      properties: { from: { type: "integer" }, to: { type: "integer", maximum: 2100 } },
      required: ["from"],
    },
    tags: { type: "array", items: { type: "string", pattern: "^[a-z]+$" }, maxItems: 3 },
    order: { oneOf: [{ const: "asc" }, { const: "desc" }] },
  },
  required: ["title"],
} as const;

/** Written by hand, with schemas that are made when first read. */
const findBook: Tool = {
  spec: lazyProperty(
    {
      name: "find_book",
      description: "Find a book.",
      annotations: { readOnlyHint: true },
      injected: [{ name: "tenant", required: true }],
      provenance: { adapter: "code" },
    },
    "inputSchema",
    () => bookSchema,
  ),
  preflight: () => [{ kind: "network", target: "https://example.com", summary: "Search" }],
  invoke: ({ title }) => [{ title: title ?? "" }],
};

const greet = defineTool({
  name: "greet",
  description: "Say hello.",
  input: { type: "object" },
  annotations: {},
  execute: async function* () {
    yield "he";
    return "hello";
  },
});

/** A class with private parts, as an adapter would write it. */
class OpenDoor implements Tool {
  readonly spec = {
    name: "open_door",
    description: "Open a door.",
    inputSchema: { type: "object", properties: { door: { type: "string" } }, required: ["door"] },
    annotations: {},
    provenance: { adapter: "fixture" },
  };
  readonly #locked = true;

  preflight(): readonly [] {
    return this.#locked ? [] : [];
  }

  invoke(): never {
    throw new Error(this.#locked ? "The door is locked. Find the key first." : "There is no door.");
  }
}

const readPage = defineTool({
  name: "read_page",
  description: "Read a page.",
  input: { type: "object", properties: { number: { type: "integer", exclusiveMinimum: 0 } } },
  annotations: { readOnlyHint: true, idempotentHint: true, redact: [{ path: "$.secret" }] },
  execute: ({ number }) => `page ${String(number)}`,
});

const wait = defineTool({
  name: "wait",
  description: "Wait until it is stopped.",
  input: { type: "object", additionalProperties: false },
  execute: (_, { signal }) =>
    new Promise<string>((_, reject) => {
      if (signal.aborted) reject(new Error("stopped"));
      signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
    }),
});
