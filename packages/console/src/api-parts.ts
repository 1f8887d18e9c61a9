import { approvalRoutes } from "./approvals/approval-routes.ts";
import type { ConsoleOptions } from "./console-options.ts";
import { grantRoutes } from "./grants/grant-routes.ts";
import type { ApiPart } from "./openapi/route.ts";
import { sessionRoutes } from "./session/session-routes.ts";

/** The parts of the API that the options permit, in the order of the document. */
export function createParts({
  executor,
  stores,
  sessions,
}: Pick<ConsoleOptions, "executor" | "stores" | "sessions">): readonly ApiPart[] {
  return [
    ...(sessions === undefined ? [] : [sessionRoutes(sessions)]),
    approvalRoutes(executor, stores.pendingCalls),
    grantRoutes(executor),
  ];
}
