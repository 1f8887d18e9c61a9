import type { ToolExecutor } from "@toolweave/core";
import { grantProperties } from "../openapi/permission-schemas.ts";
import type { ApiPart } from "../openapi/route.ts";
import {
  milliseconds,
  pageOperation,
  pageSchema,
  queryParameter,
  text,
} from "../openapi/schema-parts.ts";
import { listGrants, revokeGrant } from "./grants.ts";

const grantSchemas = {
  Grant: {
    type: "object",
    required: ["id", "scope", "tool", "specHash", "permission", "grantedAt"],
    properties: {
      id: { type: "string" },
      scope: { enum: ["session", "always"] },
      ...grantProperties,
      session: text("With the scope `session`: the session or run."),
      by: text("The person who approved."),
      grantedAt: milliseconds("When."),
    },
  },
  GrantList: pageSchema("Grant", "grants"),
};

/** The operations on grants. */
export function grantRoutes(executor: ToolExecutor): ApiPart {
  return {
    tag: "grants",
    schemas: grantSchemas,
    routes: [
      {
        method: "GET",
        path: "/api/grants",
        scope: "read",
        operation: {
          operationId: "listGrants",
          summary: "List the grants",
          description: "What people have approved for more than one call; oldest first.",
          ...pageOperation("GrantList", [
            queryParameter("tool", "Only the grants of this tool.", { type: "string" }),
          ]),
        },
        handle: ({ query }) => listGrants(executor, query),
      },
      {
        method: "DELETE",
        path: "/api/grants/{id}",
        scope: "decide",
        operation: {
          operationId: "revokeGrant",
          summary: "Revoke a grant",
          responses: { 204: { description: "Such calls need approval again." } },
        },
        handle: async ({ parameters: { id = "" } }) => {
          await revokeGrant(executor, id);
          return undefined;
        },
      },
    ],
  };
}
