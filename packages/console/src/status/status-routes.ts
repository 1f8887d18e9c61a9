import type { ToolExecutor } from "@toolweave/core";
import type { PendingCallStore } from "@toolweave/core/stores";
import type { ApiPart } from "../openapi/route.ts";
import { jsonResponse } from "../openapi/schema-parts.ts";
import { statusSchemas } from "./status-schemas.ts";
import { listProblems, listSources } from "./source-rows.ts";
import { getStatus, type AttachedStores } from "./status.ts";

/** The operations on the state of the executor and its sources. */
export function statusRoutes(
  executor: ToolExecutor,
  pendingCalls: PendingCallStore,
  attached: AttachedStores,
): ApiPart {
  return {
    tag: "status",
    schemas: statusSchemas,
    routes: [
      {
        method: "GET",
        path: "/api/status",
        scope: "read",
        operation: {
          operationId: "getStatus",
          summary: "Read the state of the executor and its sources",
          responses: { 200: jsonResponse("The state.", "Status") },
        },
        handle: () => getStatus(executor, pendingCalls, attached),
      },
      {
        method: "GET",
        path: "/api/sources",
        scope: "read",
        operation: {
          operationId: "listSources",
          summary: "List the sources of tools",
          responses: { 200: jsonResponse("All sources.", "SourceList") },
        },
        handle: async () => ({ items: listSources(executor) }),
      },
      {
        method: "GET",
        path: "/api/problems",
        scope: "read",
        operation: {
          operationId: "listProblems",
          summary: "List what could not become a tool, and configuration without an effect",
          responses: { 200: jsonResponse("All problems.", "ProblemList") },
        },
        handle: async () => ({ items: listProblems(executor) }),
      },
    ],
  };
}
