import { readFileSync } from "node:fs";
import { ToolError, type Tool, type ToolSpec } from "@toolweave/core";
import {
  hanging,
  ofSource,
  ofSpec,
  ofTool,
  ofTools,
  over,
  rejected,
  spare,
  SpecOfGetters,
  type Mutant,
} from "./mutant.ts";

/** At least one for every must-rule. */
export const mutants: readonly Mutant[] = [
  ofSource("TW-LIFE-001", "a source that cannot be loaded", (source) =>
    over(source, { ready: rejected("no such file") }),
  ),
  hanging(
    ofSource("TW-LIFE-001", "a source that never gets ready", (source) =>
      over(source, { ready: new Promise(() => {}) }),
    ),
  ),
  ofTools("TW-LIFE-001", "an adapter that finds nothing", () => []),
  ofSource("TW-LIFE-002", "a getter that connects again", (source) => {
    let connected = false;
    return over(source, {
      get ready() {
        if (connected) return rejected("already connected");
        connected = true;
        return source.ready;
      },
    });
  }),
  ofSource("TW-LIFE-003", "a second close that throws", (source) => {
    let closed = false;
    const close = async (): Promise<void> => {
      if (closed) throw new Error("not open");
      closed = true;
    };
    return over(source, { close, [Symbol.asyncDispose]: close });
  }),
  hanging(
    ofSource("TW-LIFE-003", "a second close that waits forever", (source) => {
      let closed = false;
      const close = (): Promise<void> => {
        if (closed) return new Promise(() => {});
        closed = true;
        return Promise.resolve();
      };
      return over(source, { close, [Symbol.asyncDispose]: close });
    }),
  ),
  ofSource("TW-LIFE-004", "a list that is filled in place", (source) => {
    const list: Tool[] = [];
    const ready = source.ready.then(() => void list.push(...source.tools()));
    return over(source, { ready, tools: () => list });
  }),

  ofSpec("TW-SPEC-001", "a lazy schema that cannot be made", () => ({
    get inputSchema(): never {
      throw new Error("cannot convert the type");
    },
  })),
  ofSpec("TW-SPEC-002", "a date in the metadata", () => ({
    metadata: { since: new Date(0) as never },
  })),
  ofTools("TW-SPEC-002", "a spec whose fields come from a class", (tools) => [
    ...tools,
    { ...spare, spec: new SpecOfGetters(spare.spec) },
  ]),
  ofSpec("TW-SPEC-003", "a blank description", () => ({ description: " \n" })),
  ofSpec("TW-SPEC-004", "an input schema without a type", () => ({ inputSchema: {} })),
  ofSpec("TW-SPEC-004", "a list for an input", () => ({
    inputSchema: { type: "array", items: { type: "number" } },
  })),
  ofSpec("TW-SPEC-005", "a type that does not exist", () => ({
    inputSchema: { type: "object", properties: { a: { type: "float" } } },
  })),
  ofSpec("TW-SPEC-005", "required as OpenAPI 2 parameters write it", () => ({
    outputSchema: { type: "object", properties: { a: { type: "string", required: true } } },
  })),
  ofSpec("TW-SPEC-006", "a reference into the document it came from", () => ({
    inputSchema: {
      type: "object",
      properties: { a: { $ref: "#/components/schemas/Number" }, b: { type: "number" } },
    },
  })),
  ofSpec("TW-SPEC-006", "a reference to a file", () => ({
    inputSchema: { type: "object", properties: { a: { $ref: "number.json" } } },
  })),
  ofSpec("TW-SPEC-007", "an injected value among the properties", ({ inputSchema }) => ({
    inputSchema: {
      ...inputSchema,
      properties: { ...(inputSchema["properties"] as object), tenant: { type: "string" } },
    },
    injected: [{ name: "tenant" }],
  })),
  ofSpec("TW-SPEC-007", "an injected value behind a reference", () => ({
    inputSchema: {
      type: "object",
      allOf: [{ $ref: "#/$defs/scope" }],
      $defs: { scope: { properties: { tenant: { type: "string" } } } },
    },
    injected: [{ name: "tenant" }],
  })),
  ofSpec("TW-SPEC-008", "a misspelt hint", () => ({
    annotations: { readonlyHint: true } as ToolSpec["annotations"],
  })),
  ofSpec("TW-SPEC-008", "a hint as a text", () => ({
    annotations: { destructiveHint: "no" as never },
  })),
  ofSpec("TW-SPEC-009", "a schema that is made each time", ({ inputSchema }) => ({
    get inputSchema() {
      return { ...inputSchema };
    },
  })),

  ofSpec("TW-NAME-001", "a name with a dot", () => ({ name: "math.add" }), "read_page"),
  ofTools("TW-NAME-002", "one name for two tools", (tools) => [...tools, ...tools.slice(0, 1)]),
  ofSource("TW-NAME-003", "a copy of the list each time", (source) =>
    over(source, { tools: () => [...source.tools()] }),
  ),
  ofTools("TW-NAME-004", "the order in which answers came", inTurns()),

  ofSpec("TW-CALL-001", "nullable, which JSON Schema does not know", () => ({
    inputSchema: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number", nullable: true } },
      required: ["a", "b"],
    },
  })),
  ofTool("TW-CALL-002", "add", "a tool that always throws", () => ({
    invoke: () => {
      throw new Error("not implemented");
    },
  })),

  ofTool("TW-RESULT-001", "draw", "an image as a data URL", () => ({
    invoke: () => [
      { type: "image", data: "data:image/png;base64,iVBORw0KGgo=", mimeType: "image/png" },
    ],
  })),
  ofTool("TW-RESULT-001", "draw", "a block of a type that does not exist", () => ({
    invoke: () => ({ content: [{ type: "json", json: {} }] }),
  })),
  ofTool("TW-RESULT-002", "draw", "a map as a value", () => ({
    invoke: () => ({ content: [], value: new Map([["a", 1]]) as never }),
  })),

  ofTool("TW-ERROR-001", "open_door", "an error that says nothing", () => ({
    invoke: () => ({ content: [], isError: true }),
  })),
  ofTool("TW-ERROR-001", "open_door", "a failure that passes for success", () => ({
    invoke: () => "Error: locked",
  })),
  ofTool("TW-ERROR-002", "open_door", "a stack in the message", () => ({
    invoke: () => {
      try {
        return readFileSync("/no/such/door", "utf8");
      } catch (error) {
        throw new ToolError("execution_failed", (error as Error).stack ?? "");
      }
    },
  })),

  ofTool("TW-CANCEL-001", "append_line", "a preflight that does the work", (tool) => ({
    preflight: async (args, ctx) => {
      await tool.invoke(args, ctx as never);
      return [];
    },
    invoke: () => "done",
  })),
  hanging(
    ofTool("TW-CANCEL-002", "wait", "a tool that ignores its signal", () => ({
      invoke: (_, { signal }) =>
        new Promise((resolve) => {
          if (signal.aborted) resolve("stopped");
        }),
    })),
  ),
  hanging(
    ofTool("TW-CANCEL-002", "wait", "a tool that ignores its signal and ends by itself", () => ({
      invoke: (_, { signal }) =>
        signal.aborted
          ? "stopped"
          : new Promise((resolve) => {
              setTimeout(resolve, 1500, "done").unref();
            }),
    })),
  ),
  hanging(
    ofTool("TW-CANCEL-003", "wait", "a tool that waits for a signal that has fired", () => ({
      invoke: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve("stopped"), { once: true });
        }),
    })),
  ),

  ofTool("TW-PERM-001", "read_page", "a read-only tool that proposes to write", () => ({
    preflight: ({ number }) =>
      Number(number) % 2 === 0
        ? [{ kind: "fs.write", target: "cache.db", summary: "Keep the page" }]
        : [],
  })),
  ofSpec(
    "TW-PERM-001",
    "a read-only tool that spends",
    () => ({ annotations: { readOnlyHint: true, access: { spend: true } } }),
    "read_page",
  ),
  ofSpec(
    "TW-PERM-002",
    "a tool that writes and calls itself read-only",
    () => ({ annotations: { readOnlyHint: true } }),
    "append_line",
  ),

  ofTool("TW-VIEW-001", "add", "a tool that goes by the name it is called by", (tool) => ({
    invoke: (args, ctx) => {
      if (ctx.toolName !== "add") throw new Error(`unknown tool ${ctx.toolName}`);
      return tool.invoke(args, ctx);
    },
  })),
];

function inTurns(): (tools: Tool[]) => readonly Tool[] {
  let turn = 0;
  return (tools) => (++turn % 2 === 0 ? tools : tools.toReversed());
}
