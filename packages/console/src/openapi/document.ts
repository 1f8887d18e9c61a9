import type { JsonObject } from "@toolweave/core";
import { defaultLimit, maxLimit } from "../http/paging.ts";
import { getPhrase } from "../http/problem.ts";
import { problemSchema, schemas } from "./schemas.ts";

/** Statuses that every operation with a token can have. */
const commonStatuses = [400, 401, 403, 404, 429, 500, 503] as const;

const json = (name: string): object => ({
  "application/json": { schema: { $ref: `#/components/schemas/${name}` } },
});

function problems(...statuses: readonly number[]): Record<string, object> {
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      {
        description: getPhrase(status),
        content: { "application/problem+json": { schema: problemSchema(status) } },
      },
    ]),
  );
}

const pageParameters = [
  {
    name: "limit",
    in: "query",
    description: "Rows of a page.",
    schema: { type: "integer", minimum: 1, maximum: maxLimit, default: defaultLimit },
  },
  {
    name: "cursor",
    in: "query",
    description: "`nextCursor` of the page before.",
    schema: { type: "string" },
  },
] as const;

const idParameter = {
  name: "id",
  in: "path",
  required: true,
  schema: { type: "string" },
} as const;

/** The security of an operation: in OpenAPI 3.1 the list names the scopes that the token needs. */
const scope = (name: "read" | "decide"): object => ({ security: [{ bearer: [name] }] });

/**
 * Creates the OpenAPI 3.1 document of the API.
 *
 * @param url the address of the API, without `/api`.
 */
export function createDocument(url: string): JsonObject {
  const document = {
    openapi: "3.1.0",
    info: {
      title: "Toolweave console",
      version: "1",
      description:
        "Calls of agents that wait for a person: list them, answer them, and revoke grants.",
    },
    servers: [{ url }],
    tags: [{ name: "approvals" }, { name: "grants" }],
    paths: {
      "/api/approvals": {
        get: {
          operationId: "listApprovals",
          tags: ["approvals"],
          summary: "List the calls that wait for a person",
          description:
            "Calls that wait, that are running, and whose outcome is unknown; oldest first.",
          ...scope("read"),
          parameters: pageParameters,
          responses: {
            200: { description: "A page.", content: json("ApprovalList") },
            ...problems(...commonStatuses),
          },
        },
      },
      "/api/approvals/{id}": {
        get: {
          operationId: "getApproval",
          tags: ["approvals"],
          summary: "Read one call that waits for a person",
          ...scope("read"),
          parameters: [idParameter],
          responses: {
            200: { description: "The approval.", content: json("Approval") },
            ...problems(...commonStatuses),
          },
        },
      },
      "/api/approvals/{id}/answers": {
        post: {
          operationId: "answerApproval",
          tags: ["approvals"],
          summary: "Approve or reject a call",
          description:
            "The call runs at most once, over all processes that share the store. The response comes when the call has ended. The same answers get the same outcome for 10 minutes.",
          ...scope("decide"),
          parameters: [idParameter],
          requestBody: { required: true, content: json("AnswerBody") },
          responses: {
            200: { description: "The outcome.", content: json("AnswerResult") },
            ...problems(...commonStatuses, 409, 413, 415, 422),
          },
        },
      },
      "/api/grants": {
        get: {
          operationId: "listGrants",
          tags: ["grants"],
          summary: "List the grants",
          description: "What people have approved for more than one call; oldest first.",
          ...scope("read"),
          parameters: [
            ...pageParameters,
            {
              name: "tool",
              in: "query",
              description: "Only the grants of this tool.",
              schema: { type: "string" },
            },
          ],
          responses: {
            200: { description: "A page.", content: json("GrantList") },
            ...problems(...commonStatuses),
          },
        },
      },
      "/api/grants/{id}": {
        delete: {
          operationId: "revokeGrant",
          tags: ["grants"],
          summary: "Revoke a grant",
          ...scope("decide"),
          parameters: [idParameter],
          responses: {
            204: { description: "Such calls need approval again." },
            ...problems(...commonStatuses),
          },
        },
      },
      "/api/openapi.json": {
        get: {
          operationId: "getDocument",
          summary: "Read this document",
          description: "Needs no token.",
          security: [],
          responses: {
            200: {
              description: "The OpenAPI document.",
              content: { "application/json": { schema: { type: "object" } } },
            },
            ...problems(403, 429, 500),
          },
        },
      },
    },
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description:
            "Scopes: `read` sees approvals and grants, `decide` answers and revokes. The token of a program never has `decide`.",
        },
      },
      schemas,
    },
  };
  return JSON.parse(JSON.stringify(document)) as JsonObject;
}
