import { approvalRoutes } from "./approvals/approval-routes.ts";
import { callRoutes } from "./calls/call-routes.ts";
import { StartedCalls } from "./calls/started-calls.ts";
import type { ConsoleOptions } from "./console-options.ts";
import { eventRoutes } from "./events/event-routes.ts";
import { grantRoutes } from "./grants/grant-routes.ts";
import type { ApiPart } from "./openapi/route.ts";
import { sessionRoutes } from "./session/session-routes.ts";
import { statusRoutes } from "./status/status-routes.ts";
import type { AttachedStores } from "./status/status.ts";
import { toolRoutes } from "./tools/tool-routes.ts";

/** The parts of the API that the options permit, in the order of the document. */
export function createParts({
  executor,
  stores,
  sessions,
}: Pick<ConsoleOptions, "executor" | "stores" | "sessions">): readonly ApiPart[] {
  const { pendingCalls } = stores;
  const calls = new StartedCalls(executor, pendingCalls);
  const attached: AttachedStores = {
    pendingCalls: true,
    grants: true,
    tasks: false,
    artifacts: false,
    audit: false,
    recordings: [],
    lock: false,
  };
  return [
    ...(sessions === undefined ? [] : [sessionRoutes(sessions)]),
    statusRoutes(executor, pendingCalls, attached),
    toolRoutes(executor),
    callRoutes(calls),
    eventRoutes(executor),
    approvalRoutes(executor, pendingCalls, (id, outcome) => calls.resumed(id, outcome)),
    grantRoutes(executor),
  ];
}
