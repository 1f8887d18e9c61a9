import { reference, text } from "../openapi/schema-parts.ts";

const count = { type: "integer", minimum: 0 } as const;
const flag = { type: "boolean" } as const;

/** The schemas of the state of the executor and its sources. */
export const statusSchemas: Readonly<Record<string, object>> = {
  Source: {
    type: "object",
    required: ["id", "adapter", "tools", "problems", "state", "trusted"],
    properties: {
      id: { type: "string" },
      adapter: text("The adapter of its tools, such as `openapi` or `mcp`. Empty: it has no tool."),
      tools: count,
      problems: count,
      state: { enum: ["ready", "loading", "failed"] },
      message: text("With `failed`: the reason."),
      trusted: { ...flag, description: "Its annotations may loosen a decision." },
    },
  },
  SourceList: {
    type: "object",
    required: ["items"],
    properties: { items: { type: "array", items: reference("Source") } },
  },
  ToolProblem: {
    type: "object",
    required: ["kind", "source", "message", "severity"],
    properties: {
      kind: { enum: ["source", "tool", "configuration"] },
      source: text("The id of the source, or `configuration`."),
      message: text("What is wrong, and what to do."),
      place: text("The operation or tool and its place in the document or the configuration."),
      tool: text("The tool that has the problem, or that is missing because of it."),
      severity: { enum: ["error", "warning"] },
    },
  },
  ProblemList: {
    type: "object",
    required: ["items"],
    properties: { items: { type: "array", items: reference("ToolProblem") } },
  },
  Status: {
    type: "object",
    required: ["version", "sources", "tools", "problems", "stores", "policy", "waiting", "limits"],
    properties: {
      version: text("The version of the console."),
      sources: { type: "array", items: reference("Source") },
      tools: {
        type: "object",
        required: ["total", "version"],
        properties: {
          total: count,
          version: { ...count, description: "Grows by one with every change of the tools." },
        },
      },
      problems: count,
      stores: {
        type: "object",
        required: [
          "pendingCalls",
          "grants",
          "tasks",
          "artifacts",
          "memory",
          "audit",
          "recordings",
          "lock",
        ],
        properties: {
          pendingCalls: flag,
          grants: flag,
          tasks: flag,
          artifacts: flag,
          memory: flag,
          audit: flag,
          recordings: { type: "array", items: { type: "string" } },
          lock: flag,
        },
      },
      policy: {
        type: "object",
        required: ["layers", "warnings"],
        properties: {
          layers: { type: "array", items: { type: "string" } },
          warnings: {
            type: "array",
            items: {
              type: "object",
              required: ["message"],
              properties: { message: { type: "string" }, place: { type: "string" } },
            },
          },
        },
      },
      waiting: { ...count, description: "Calls that wait for a person." },
      limits: {
        type: "object",
        properties: {
          timeoutMs: { ...count, description: "Of one attempt. Absent: no limit." },
          maxOutputBytes: count,
        },
      },
    },
  },
};
