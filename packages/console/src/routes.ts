import type { ToolExecutor } from "@toolweave/core";
import type { PendingCallStore } from "@toolweave/core/stores";
import { answerApproval } from "./approvals/answer-approval.ts";
import { readAnswerBody } from "./approvals/answer-body.ts";
import { GivenAnswers } from "./approvals/given-answers.ts";
import { getApproval, listApprovals } from "./approvals/list-approvals.ts";
import type { ConsoleCaller, ConsoleScope } from "./authentication/console-caller.ts";
import { listGrants, revokeGrant } from "./grants/grants.ts";
import { readJsonBody } from "./http/json-body.ts";

/** A request that was authenticated, and that has the scope of its route. */
interface RoutedRequest {
  readonly request: Request;
  readonly query: URLSearchParams;
  /** The `{id}` of the path; empty where there is none. */
  readonly id: string;
  readonly caller: ConsoleCaller["caller"];
}

/** One operation of the API. */
export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below the address of the API; `{id}` is one segment. */
  readonly path: string;
  readonly scope: ConsoleScope;
  /** Returns the body of the response; `undefined`: 204. */
  handle(request: RoutedRequest): Promise<object | undefined>;
}

/** The operations on approvals and grants. */
export function createRoutes(
  executor: ToolExecutor,
  pendingCalls: PendingCallStore,
): readonly Route[] {
  const ports = { executor, pendingCalls, given: new GivenAnswers() };
  return [
    {
      method: "GET",
      path: "/api/approvals",
      scope: "read",
      handle: ({ query }) => listApprovals(executor, pendingCalls, query),
    },
    {
      method: "GET",
      path: "/api/approvals/{id}",
      scope: "read",
      handle: ({ id }) => getApproval(executor, pendingCalls, id),
    },
    {
      method: "POST",
      path: "/api/approvals/{id}/answers",
      scope: "decide",
      handle: async ({ request, id, caller }) => {
        const body = await readJsonBody(request, ["digest", "answers"]);
        return answerApproval(ports, id, readAnswerBody(body, caller.id));
      },
    },
    {
      method: "GET",
      path: "/api/grants",
      scope: "read",
      handle: ({ query }) => listGrants(executor, query),
    },
    {
      method: "DELETE",
      path: "/api/grants/{id}",
      scope: "decide",
      handle: async ({ id }) => {
        await revokeGrant(executor, id);
        return undefined;
      },
    },
  ];
}

/**
 * Matches a path with that of a route.
 *
 * @returns the `{id}`, decoded, or an empty text where there is none; `undefined`: the path is another one.
 */
export function matchPath(route: string, path: string): string | undefined {
  const expected = route.split("/");
  const segments = path.split("/");
  if (expected.length !== segments.length) return undefined;
  let id = "";
  for (const [index, segment] of segments.entries()) {
    if (expected[index] === "{id}") {
      try {
        id = decodeURIComponent(segment);
      } catch {
        return undefined;
      }
      if (id === "" || id.length > 200) return undefined;
    } else if (expected[index] !== segment) return undefined;
  }
  return id;
}
