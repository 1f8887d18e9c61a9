import { artifactRoutes } from "./artifacts/artifact-routes.ts";
import { auditRoutes } from "./audit/audit-routes.ts";
import { lockRoutes } from "./lock/lock-routes.ts";
import { memoryRoutes } from "./memory/memory-routes.ts";
import { policyRoutes } from "./policy/policy-routes.ts";
import { LiveRuns } from "./runs/live-runs.ts";
import { runRoutes } from "./runs/run-routes.ts";
import { taskRoutes } from "./tasks/task-routes.ts";
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
export function createParts(
  options: Omit<ConsoleOptions, "authenticate" | "files" | "origins" | "path">,
): readonly ApiPart[] {
  const { executor, stores, sessions, runs = {}, audit, lock, owners = "own" } = options;
  const { pendingCalls, memory } = stores;
  const { recordings = [] } = runs;
  const live = runs.live === true ? new LiveRuns(executor) : undefined;
  const calls = new StartedCalls(executor, pendingCalls, options.callMetadata);
  const attached: AttachedStores = {
    pendingCalls: true,
    grants: true,
    tasks: true,
    artifacts: true,
    memory: memory?.findAcrossOwners !== undefined,
    audit: audit !== undefined,
    recordings: recordings.map(({ name }) => name),
    lock: lock !== undefined,
  };
  return [
    ...(sessions === undefined ? [] : [sessionRoutes(sessions)]),
    statusRoutes(executor, pendingCalls, attached),
    toolRoutes(executor, lock),
    callRoutes(calls),
    eventRoutes(executor),
    runRoutes(executor, live, recordings),
    approvalRoutes(executor, pendingCalls, (id, outcome) => calls.resumed(id, outcome)),
    grantRoutes(executor),
    taskRoutes({ executor, owners, live }),
    artifactRoutes({ executor, owners }),
    memoryRoutes({ executor, owners, memory }),
    policyRoutes(executor),
    auditRoutes(executor, audit),
    lockRoutes(executor, lock),
  ];
}
