import type { JsonObject } from "@toolweave/core";

const text: JsonObject = { type: "string", minLength: 1 };
const texts: JsonObject = { type: "array", items: text };
const named: JsonObject = { type: "object", additionalProperties: text };
const milliseconds: JsonObject = { type: "integer", minimum: 0, maximum: 2_147_483_647 };

const call = { tool: text, arguments: { type: "object" } } as const;

function toCallsSchema(more: JsonObject = {}, optional: JsonObject = {}): JsonObject {
  return {
    type: "array",
    items: {
      type: "object",
      properties: { ...call, ...more, ...optional },
      required: ["tool", "arguments", ...Object.keys(more)],
      additionalProperties: false,
    },
  };
}

/** One subject of a file for `--config`. It has nothing that only a program can declare (counts, answers). */
const subject: JsonObject = {
  type: "object",
  properties: {
    name: text,
    module: text,
    openapi: text,
    mcp: {
      type: "object",
      properties: {
        command: text,
        args: { type: "array", items: { type: "string" } },
        env: named,
        cwd: text,
        url: { type: "string", pattern: "^https?://" },
        headers: named,
        prefix: text,
        trustAnnotations: { type: "boolean" },
        timeout: milliseconds,
      },
      additionalProperties: false,
    },
    options: {
      type: "object",
      properties: {
        baseUrl: text,
        header: texts,
        auth: texts,
        allowOrigin: texts,
        allowReference: texts,
        timeout: milliseconds,
      },
      additionalProperties: false,
    },
    samples: {
      type: "object",
      properties: {
        succeedingCalls: toCallsSchema({}, { varies: text }),
        failingCalls: toCallsSchema(),
        slowCalls: toCallsSchema(),
        updatingCalls: toCallsSchema(),
        largeCalls: toCallsSchema({ bytes: { type: "integer", minimum: 1 } }),
      },
      additionalProperties: false,
    },
    generatedCalls: { type: ["string", "array"], items: text },
    secrets: { type: "array", items: { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_]*$" } },
    without: { type: ["string", "object"], minLength: 1, additionalProperties: text },
    knownFailing: named,
    injected: { type: "object" },
  },
  required: ["name"],
  additionalProperties: false,
};

/** A file for `--config` with several subjects. */
export const subjectsSchema: JsonObject = {
  type: "object",
  properties: { subjects: { type: "array", items: subject, minItems: 1 } },
  required: ["subjects"],
  additionalProperties: false,
};

/** A file for `--config` with one subject. */
export const subjectSchema: JsonObject = subject;
