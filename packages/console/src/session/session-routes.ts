import type { ConsoleSessions } from "../authentication/console-sessions.ts";
import { readJsonBody } from "../http/json-body.ts";
import { Problem } from "../http/problem.ts";
import type { ApiPart } from "../openapi/route.ts";
import { jsonBody, jsonResponse, milliseconds, text } from "../openapi/schema-parts.ts";

const sessionSchemas: Readonly<Record<string, object>> = {
  SessionBody: {
    type: "object",
    additionalProperties: false,
    required: ["code"],
    properties: { code: text("The code of the link.") },
  },
  Session: {
    type: "object",
    required: ["token", "scopes", "expiresAt", "caller"],
    properties: {
      token: text("Sent as `Authorization: Bearer …`."),
      scopes: { type: "array", items: { enum: ["read", "call", "decide"] } },
      expiresAt: milliseconds("The session ends without a request until then."),
      caller: { type: "object", required: ["id"], properties: { id: text("The person.") } },
    },
  },
};

/** The operations on sessions. */
export function sessionRoutes(sessions: ConsoleSessions): ApiPart {
  return {
    tag: "session",
    schemas: sessionSchemas,
    routes: [
      {
        method: "POST",
        path: "/session",
        scope: "code",
        operation: {
          operationId: "startSession",
          summary: "Exchange a one-time code for a session",
          description: "Needs no token. A code can be used once, within 2 minutes.",
          requestBody: jsonBody("SessionBody"),
          responses: { 201: jsonResponse("The session.", "Session") },
          problems: [413, 415, 422],
        },
        handle: async ({ request }) => {
          const { code } = await readJsonBody(request, ["code"]);
          if (typeof code !== "string") {
            throw new Problem("invalid_body", "code must be the code of the link.");
          }
          const session = sessions.start(code);
          if (session === undefined) {
            throw new Problem(
              "code_invalid",
              "The code is wrong, was used before, or has expired: create a new link.",
            );
          }
          return Response.json(session, { status: 201 });
        },
      },
      {
        method: "DELETE",
        path: "/session",
        scope: "read",
        operation: {
          operationId: "endSession",
          summary: "End the session of the token",
          responses: { 204: { description: "The token is no longer valid." } },
        },
        handle: async ({ sender: { session } }) => {
          if (session === undefined) {
            throw new Problem("not_found", "The token of this request is not that of a session.");
          }
          sessions.end(session.id);
          return undefined;
        },
      },
    ],
  };
}
