import { readJsonBody } from "../http/json-body.ts";
import type { ApiPart } from "../openapi/route.ts";
import { jsonBody, jsonResponse } from "../openapi/schema-parts.ts";
import { callMembers, readCallBody } from "./call-body.ts";
import { callSchemas } from "./call-schemas.ts";
import type { StartedCalls } from "./started-calls.ts";

/** The operations on calls. */
export function callRoutes(calls: StartedCalls): ApiPart {
  return {
    tag: "calls",
    schemas: callSchemas,
    routes: [
      {
        method: "POST",
        path: "/api/calls",
        scope: "call",
        operation: {
          operationId: "startCall",
          summary: "Start a call of a tool",
          description:
            "The response does not wait for the outcome: follow the events of the run, or read the call. The same id and body again start nothing, and return the same call.",
          requestBody: jsonBody("CallBody"),
          responses: { 202: jsonResponse("The call was started.", "CallStarted") },
          problems: [409, 413, 415, 422],
        },
        handle: async ({ request, sender }) => {
          const body = readCallBody(await readJsonBody(request, callMembers));
          return Response.json(calls.start(body, sender), { status: 202 });
        },
      },
      {
        method: "GET",
        path: "/api/calls/{id}",
        scope: "read",
        operation: {
          operationId: "getCall",
          summary: "Read the state and the outcome of a call that was started here",
          description: "A program can read the calls that it has started.",
          responses: { 200: jsonResponse("The call.", "CallState") },
        },
        handle: ({ parameters: { id = "" }, sender }) => calls.getState(id, sender),
      },
      {
        method: "POST",
        path: "/api/calls/{id}/cancel",
        scope: "call",
        operation: {
          operationId: "cancelCall",
          summary: "Cancel a call that is running",
          description: "A call that has ended stays as it is.",
          requestBody: jsonBody("CancelBody"),
          responses: { 202: jsonResponse("The call, which may still be ending.", "CallState") },
          problems: [409, 413, 415, 422],
        },
        handle: async ({ request, parameters: { id = "" }, sender }) => {
          await readJsonBody(request, []);
          return Response.json(await calls.cancel(id, sender), { status: 202 });
        },
      },
    ],
  };
}
