import { milliseconds, pageSchema, reference, text } from "../openapi/schema-parts.ts";

const count = (description: string): object => ({ type: "integer", minimum: 0, description });

const rowMembers = {
  required: ["runId", "startedAt", "calls", "failed", "waiting", "tools"],
  properties: {
    runId: { type: "string" },
    recording: text("The recording that it was read from. Absent: it is of this process."),
    startedAt: milliseconds("The first event."),
    endedAt: milliseconds("The last event. Absent: a call is running or waits for a person."),
    calls: count("The number of calls, nested ones included."),
    failed: count("The number of calls that failed or were refused."),
    waiting: count("The number of calls that wait for a person."),
    tools: {
      type: "array",
      items: { type: "string" },
      description: "The called tools in the order of their first calls: at most 100.",
    },
  },
};

const period = {
  type: "object",
  required: ["from", "to"],
  properties: { from: { type: "integer" }, to: { type: "integer" } },
};

/** The schemas of runs. */
export const runSchemas: Readonly<Record<string, object>> = {
  Run: { type: "object", ...rowMembers },
  RunList: pageSchema("Run"),
  RunDetails: {
    type: "object",
    required: [...rowMembers.required, "spans", "gaps", "missingEvents"],
    properties: {
      ...rowMembers.properties,
      spans: {
        type: "array",
        items: reference("Span"),
        description: "In the order of `from`; a parent comes before its children.",
      },
      gaps: {
        type: "array",
        items: period,
        description:
          "Periods of a second and more in which no call ran, in milliseconds since the epoch.",
      },
      missingEvents: count(
        "The number of events that are missing: if it is not 0, spans may be wrong or absent.",
      ),
    },
  },
  Span: {
    type: "object",
    required: ["id", "callId", "kind", "tool", "from", "state"],
    properties: {
      id: text("Unique in the run."),
      callId: { type: "string" },
      parent: text("The id of the parent span."),
      kind: {
        enum: ["call", "attempt", "wait", "retry", "task"],
        description:
          "`attempt`: one attempt of a call that was retried. `retry`: the delay before the next attempt. `wait`: the call waits for a person.",
      },
      tool: { type: "string" },
      from: milliseconds("Its start."),
      to: milliseconds("Its end. Absent: it continues, or its end is unknown."),
      state: {
        enum: ["running", "ok", "error", "rejected", "waiting", "cancelled", "unknown"],
        description:
          "`unknown`: no event reports the end, and the process that recorded it has ended.",
      },
      code: text("The code of the error."),
      message: text("The message of the error."),
      rule: text("The rule that decided about the call."),
      reason: text("The reason of the decision."),
      by: text("The person who answered."),
      attempt: { type: "integer", minimum: 1 },
      approvalId: text("Of a wait: the approval."),
      taskId: text("Of a task: its id."),
      arguments: { description: "The arguments of the call, if its events have payloads." },
      output: { description: "The result of the call; binary content is replaced by its size." },
      outputBytes: count("Bytes of content."),
      artifacts: {
        type: "array",
        items: {
          type: "object",
          required: ["key"],
          properties: {
            key: { type: "string" },
            name: { type: "string" },
            bytes: { type: "integer" },
          },
        },
      },
    },
  },
};
