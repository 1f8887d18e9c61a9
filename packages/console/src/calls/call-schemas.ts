import { errorSchema, resultProperties } from "../openapi/outcome-schemas.ts";
import { milliseconds, reference, text } from "../openapi/schema-parts.ts";

const outcome = {
  type: "object",
  required: ["status", "ok"],
  properties: {
    status: { enum: ["completed", "failed", "interrupted"] },
    ok: { type: "boolean", description: "The tool ran, and its answer is no error." },
    result: {
      type: "object",
      required: ["isError", "content", "artifacts", "durationMs"],
      properties: {
        ...resultProperties,
        details: { description: "For people, never for a model: any JSON." },
        childRunId: { type: "string" },
        durationMs: { type: "number" },
      },
    },
    error: errorSchema,
    approval: reference("Approval"),
  },
} as const;

const started = {
  callId: text("The id of the call."),
  runId: text("The run of the call, for the filter of events."),
};

/** The schemas of the operations on calls. */
export const callSchemas: Readonly<Record<string, object>> = {
  CallBody: {
    type: "object",
    additionalProperties: false,
    required: ["name", "arguments"],
    properties: {
      name: text("The tool."),
      arguments: { description: "As a model would send them: an object." },
      id: {
        type: "string",
        pattern: "^[\\w.:-]{1,100}$",
        description:
          "The same id and body again: the same call, which runs once. Default: a random one.",
      },
      timeoutMs: { type: "integer", minimum: 1, maximum: 86_400_000 },
      asTask: { type: "boolean", description: "The call continues as a task." },
    },
  },
  CallStarted: { type: "object", required: ["callId", "runId"], properties: started },
  CancelBody: { type: "object", additionalProperties: false },
  Outcome: outcome,
  CallState: {
    type: "object",
    required: ["callId", "runId", "name", "status", "startedAt"],
    properties: {
      ...started,
      name: { type: "string" },
      status: { enum: ["running", "completed", "failed", "interrupted", "cancelled"] },
      outcome: reference("Outcome"),
      approvalId: text(
        "With `interrupted`: the approval to answer. If another process has answered it, the outcome is known there.",
      ),
      startedAt: milliseconds("When it was started."),
      endedAt: milliseconds("When it ended."),
    },
  },
};
