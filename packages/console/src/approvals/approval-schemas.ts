import { errorSchema, resultProperties } from "../openapi/outcome-schemas.ts";
import { grantProperties, permissionSchema } from "../openapi/permission-schemas.ts";
import { milliseconds, pageSchema, reference, text } from "../openapi/schema-parts.ts";

const call = {
  type: "object",
  required: ["id", "name"],
  properties: {
    id: text("The model's id of the call."),
    name: text("The tool."),
    arguments: {
      description: "The final arguments, with a mask in place of each secret.",
      type: ["object", "string"],
    },
  },
} as const;

const request = {
  description: "One thing that the call waits for.",
  oneOf: [
    {
      title: "Approval",
      type: "object",
      required: ["id", "type", "permission", "reason"],
      properties: {
        id: text("Id of the request, for `requestId` of an answer."),
        type: { const: "approval" },
        permission: { ...permissionSchema, required: ["kind", "target", "summary"] },
        description: text("The description of the tool by its source, unverified."),
        reason: text("Why the policy asks."),
        remedy: text("The change with which such calls run without asking."),
        grant: {
          type: "object",
          description: "What a grant would store. Absent: the policy asks every time.",
          required: ["tool", "specHash", "permission"],
          properties: grantProperties,
        },
        call: { ...call, description: "The nested call that the request is about." },
      },
    },
    {
      title: "Sign-in",
      type: "object",
      required: ["id", "type", "credential", "message"],
      properties: {
        id: { type: "string" },
        type: { const: "auth" },
        credential: text("Name of the missing credential."),
        message: { type: "string" },
        url: text("The page on which the person continues."),
        userCode: text("The code that the person types there."),
      },
    },
    {
      title: "Input",
      type: "object",
      required: ["id", "type", "message"],
      properties: {
        id: { type: "string" },
        type: { const: "input" },
        message: { type: "string" },
        schema: { description: "JSON Schema of the value.", type: ["object", "boolean"] },
      },
    },
    {
      title: "Result",
      type: "object",
      required: ["id", "type", "arguments"],
      properties: {
        id: { type: "string" },
        type: { const: "result" },
        arguments: { type: "object" },
      },
    },
  ],
} as const;

const answer = {
  oneOf: [
    {
      title: "Approve",
      type: "object",
      additionalProperties: false,
      required: ["type"],
      properties: {
        type: { const: "approve" },
        requestId: text("The request. Absent: all requests."),
        arguments: {
          type: "object",
          description: "Arguments in place of those that were displayed.",
        },
        grant: {
          description: "Also approves such calls from now on.",
          oneOf: [
            { enum: ["session", "always"] },
            {
              type: "object",
              additionalProperties: false,
              required: ["scope", "arguments"],
              properties: {
                scope: { enum: ["session", "always"] },
                arguments: { const: "any" },
              },
            },
          ],
        },
      },
    },
    {
      title: "Reject",
      type: "object",
      additionalProperties: false,
      required: ["type"],
      properties: {
        type: { const: "reject" },
        requestId: { type: "string" },
        reason: text("For the model."),
      },
    },
    {
      title: "Input or result",
      type: "object",
      additionalProperties: false,
      required: ["type", "value"],
      properties: {
        type: { enum: ["input", "result"] },
        requestId: { type: "string" },
        value: { description: "Any JSON." },
      },
    },
  ],
} as const;

/** The schemas of the operations on approvals. */
export const approvalSchemas: Readonly<Record<string, object>> = {
  Request: request,
  Approval: {
    type: "object",
    required: ["id", "status", "verified", "expiresAt"],
    properties: {
      id: { type: "string" },
      status: {
        enum: ["pending", "claimed", "finished", "unfinished"],
        description:
          "`pending`: it can be answered. `claimed`: its call is running. `finished`: it was answered. `unfinished`: the process that ran the call has ended, and the outcome is unknown.",
      },
      verified: {
        type: "boolean",
        description:
          "False: it was changed in the store, or belongs to an executor with another key. It cannot be answered, and its contents are not returned.",
      },
      expiresAt: milliseconds("Answers are refused afterwards."),
      runId: { type: "string" },
      parentCallId: text("The call above this one, whose approval is answered instead."),
      call,
      specHash: text("SHA-256 of the definition of the tool."),
      requests: { type: "array", items: reference("Request") },
      requester: reference("Caller"),
      digest: text("Identifies what is displayed. An answer carries it back."),
      truncated: {
        const: true,
        description: "Arguments, requests and digest are too long for a list: read the approval.",
      },
    },
  },
  ApprovalList: pageSchema("Approval", "approvals"),
  AnswerBody: {
    type: "object",
    additionalProperties: false,
    required: ["digest", "answers"],
    properties: {
      digest: text("The digest of the approval that was displayed."),
      answers: {
        type: "array",
        minItems: 1,
        maxItems: 100,
        items: answer,
        description: "One answer for each request, or one without `requestId` for all.",
      },
    },
  },
  AnswerResult: {
    type: "object",
    required: ["status"],
    properties: {
      status: {
        enum: ["completed", "failed", "interrupted"],
        description:
          "`completed`: the tool ran. `failed`: the call was rejected (`error.code` is `approval_rejected`) or failed. `interrupted`: it waits again, for `approval`.",
      },
      answeredBy: text("Who answered. Absent: it was in another process."),
      answeredAt: milliseconds("When."),
      replayed: {
        const: true,
        description: "The same answers were given before: nothing has run now.",
      },
      result: {
        type: "object",
        required: ["isError", "content", "artifacts"],
        properties: resultProperties,
      },
      error: errorSchema,
      approval: reference("Approval"),
    },
  },
};
