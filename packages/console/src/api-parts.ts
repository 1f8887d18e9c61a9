import { approvalRoutes } from "./approvals/approval-routes.ts";
import type { ConsoleOptions } from "./console-options.ts";
import { grantRoutes } from "./grants/grant-routes.ts";
import type { ApiPart } from "./openapi/route.ts";

/** The parts of the API that the options permit, in the order of the document. */
export function createParts({
  executor,
  stores,
}: Pick<ConsoleOptions, "executor" | "stores">): readonly ApiPart[] {
  return [approvalRoutes(executor, stores.pendingCalls), grantRoutes(executor)];
}
