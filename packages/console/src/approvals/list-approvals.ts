import type { ToolExecutor } from "@toolweave/core";
import type { PendingCallStore } from "@toolweave/core/stores";
import { getPage } from "../http/paging.ts";
import { Problem } from "../http/problem.ts";
import { toApproval, toRow, type Approval } from "./approval.ts";

/** A page of approvals that are not finished, oldest first. */
export interface ApprovalList {
  readonly approvals: readonly Approval[];
  /** The `cursor` of the next page. */
  readonly nextCursor?: string;
}

/** Lists the calls that wait, that run, and whose outcome is unknown. Calls of other calls are asked for by those. */
export async function listApprovals(
  executor: ToolExecutor,
  pendingCalls: PendingCallStore,
  query: URLSearchParams,
): Promise<ApprovalList> {
  const records = await pendingCalls.list();
  const topLevel = records.filter(({ interruption }) => interruption.parentCallId === undefined);
  const { rows, ...next } = getPage(query, topLevel, ({ interruption }) => ({
    time: interruption.expiresAt,
    id: interruption.id,
  }));
  const approvals = await Promise.all(rows.map((record) => toApproval(executor, record)));
  return { approvals: approvals.map(toRow), ...next };
}

/** @throws Problem `not_found` */
export async function getApproval(
  executor: ToolExecutor,
  pendingCalls: PendingCallStore,
  id: string,
): Promise<Approval> {
  const record = await pendingCalls.get(id);
  if (record !== undefined) return toApproval(executor, record);
  throw new Problem(
    "not_found",
    "There is no approval with this id: it was answered or has expired, or the id is wrong.",
  );
}
