import type { JsonObject } from "@toolweave/core";
import { callerSchema } from "./permission-schemas.ts";
import { problemResponses, problemSchema } from "./problem-schemas.ts";
import { getParameterNames, type ApiPart, type Route } from "./route.ts";

/** Statuses of problems that every operation with a token can have. */
const commonStatuses = [400, 401, 403, 404, 429, 500, 503] as const;
/** Statuses of problems that every operation without a token can have. */
const openStatuses = [400, 403, 429, 500] as const;

/**
 * Creates the OpenAPI 3.1 document of the API.
 *
 * @param url the address of the API, without `/api`.
 */
export function createDocument(url: string, parts: readonly ApiPart[]): JsonObject {
  const paths: Record<string, Record<string, object>> = {};
  for (const { tag, routes } of parts) {
    for (const route of routes) {
      (paths[route.path] ??= {})[route.method.toLowerCase()] = toOperation(route, tag);
    }
  }
  const document = {
    openapi: "3.1.0",
    info: {
      title: "Toolweave console",
      version: "1",
      description:
        "What agents can call: browse tools, check and start calls, follow events, answer calls that wait for a person, and revoke grants.",
    },
    servers: [{ url }],
    tags: parts.map(({ tag }) => ({ name: tag })),
    paths: { ...paths, "/api/openapi.json": { get: documentOperation } },
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description:
            "Scopes: `read` sees tools, events, approvals and grants, `call` checks, starts and cancels calls, `decide` answers and revokes. The token of a program never has `decide`.",
        },
      },
      schemas: {
        ...Object.assign({}, ...parts.map(({ schemas }) => schemas)),
        Caller: callerSchema,
        Problem: problemSchema,
      },
    },
  };
  return JSON.parse(JSON.stringify(document)) as JsonObject;
}

const documentOperation = {
  operationId: "getDocument",
  summary: "Read this document",
  description: "Needs no token.",
  security: [],
  responses: {
    200: {
      description: "The OpenAPI document.",
      content: { "application/json": { schema: { type: "object" } } },
    },
    ...problemResponses([403, 429, 500]),
  },
};

function toOperation({ path, scope, operation }: Route, tag: string): object {
  const { operationId, summary, description, requestBody, responses } = operation;
  const pathParameters = getParameterNames(path).map((name) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const parameters = [...pathParameters, ...(operation.parameters ?? [])];
  const isOpen = scope === "code";
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    // In OpenAPI 3.1 the list names the scopes that the token needs.
    security: isOpen ? [] : [{ bearer: [scope] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    requestBody,
    responses: {
      ...responses,
      ...problemResponses([
        ...(isOpen ? openStatuses : commonStatuses),
        ...(operation.problems ?? []),
      ]),
    },
  };
}
