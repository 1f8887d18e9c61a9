import type { ToolExecutor } from "@toolweave/core";
import type { PendingCallStore } from "@toolweave/core/stores";
import { readJsonBody } from "../http/json-body.ts";
import type { ApiPart } from "../openapi/route.ts";
import { jsonBody, jsonResponse, pageOperation } from "../openapi/schema-parts.ts";
import { answerApproval, type AnswerPorts } from "./answer-approval.ts";
import { readAnswerBody } from "./answer-body.ts";
import { approvalSchemas } from "./approval-schemas.ts";
import { GivenAnswers } from "./given-answers.ts";
import { getApproval, listApprovals } from "./list-approvals.ts";

/**
 * The operations on approvals.
 *
 * @param onOutcome receives the outcome of each answer that was accepted.
 */
export function approvalRoutes(
  executor: ToolExecutor,
  pendingCalls: PendingCallStore,
  onOutcome: NonNullable<AnswerPorts["onOutcome"]>,
): ApiPart {
  const ports: AnswerPorts = { executor, pendingCalls, given: new GivenAnswers(), onOutcome };
  return {
    tag: "approvals",
    schemas: approvalSchemas,
    routes: [
      {
        method: "GET",
        path: "/api/approvals",
        scope: "read",
        operation: {
          operationId: "listApprovals",
          summary: "List the calls that wait for a person",
          description:
            "Calls that wait, that are running, and whose outcome is unknown; oldest first.",
          ...pageOperation("ApprovalList"),
        },
        handle: ({ query }) => listApprovals(executor, pendingCalls, query),
      },
      {
        method: "GET",
        path: "/api/approvals/{id}",
        scope: "read",
        operation: {
          operationId: "getApproval",
          summary: "Read one call that waits for a person",
          responses: { 200: jsonResponse("The approval.", "Approval") },
        },
        handle: ({ parameters: { id = "" } }) => getApproval(executor, pendingCalls, id),
      },
      {
        method: "POST",
        path: "/api/approvals/{id}/answers",
        scope: "decide",
        operation: {
          operationId: "answerApproval",
          summary: "Approve or reject a call",
          description:
            "The call runs at most once, over all processes that share the store. The response comes when the call has ended. The same answers get the same outcome for 10 minutes.",
          requestBody: jsonBody("AnswerBody"),
          responses: { 200: jsonResponse("The outcome.", "AnswerResult") },
          problems: [409, 413, 415, 422],
        },
        handle: async ({ request, parameters: { id = "" }, sender }) => {
          const body = await readJsonBody(request, ["digest", "answers"]);
          return answerApproval(ports, id, readAnswerBody(body, sender.caller.id));
        },
      },
    ],
  };
}
