import { isGrantChoice } from "../../approvals/new-grant.ts";
import type { GrantChoice } from "../../contract/grant.ts";
import type { Awaitable, JsonObject } from "../../json/json.ts";
import type { ApprovalRequest } from "../../contract/interruption.ts";
import type { Caller } from "../../contract/caller.ts";
import type { ToolSpec } from "../../contract/tool-spec.ts";
import { formatValue } from "../../text/format-value.ts";
import { ToolError } from "../../contract/tool-error.ts";

/** The call that an approver decides on. */
export interface ApprovalQuestion {
  readonly callId: string;
  readonly runId: string;
  readonly spec: ToolSpec;
  /** The final arguments, after hooks, with secrets masked. */
  readonly arguments: JsonObject;
  readonly requests: readonly ApprovalRequest[];
  readonly caller?: Caller;
  /** Fires when the call is cancelled: the question can be withdrawn. */
  readonly signal: AbortSignal;
}

/** An approver's answer to all requests of a call. The model reads `reason`. */
export type ApprovalDecision =
  | {
      readonly approved: true;
      /** Name of the person who approved. */
      readonly by?: string;
      /** Approves future calls like this one as well: exactly what the `grant` of each request shows. */
      readonly grant?: GrantChoice;
    }
  | { readonly approved: false; readonly reason?: string; readonly by?: string };

/** Decides on a call inline. If it throws, or its answer is not valid, the call is refused. */
export type Approver = (ask: ApprovalQuestion) => Awaitable<ApprovalDecision>;

/**
 * Handling of a call for which the policy asks and no approval exists: the call is interrupted (the default), refused,
 * or decided inline by an approver.
 */
export type ApprovalMode = "interrupt" | "deny" | Approver;

/**
 * Asks an approver. Only `approved: true` approves, and only `approved: false` counts as a person's refusal.
 *
 * @throws ToolError `permission_denied` when there is no valid answer.
 */
export async function approverAnswer(
  approver: Approver,
  ask: ApprovalQuestion,
): Promise<ApprovalDecision> {
  try {
    const answer: ApprovalDecision | undefined = await approver(ask);
    const { by, reason, grant }: { by?: unknown; reason?: unknown; grant?: unknown } = answer ?? {};
    const who = typeof by === "string" ? { by } : {};
    const approved: unknown = answer?.approved;
    if (approved === false) {
      return { approved: false, ...who, ...(typeof reason === "string" ? { reason } : {}) };
    }
    if (approved !== true) {
      throw new TypeError(
        `The approver answered ${formatValue(answer)}; use { approved: true } or { approved: false }.`,
      );
    }
    if (grant === undefined) return { approved: true, ...who };
    if (!isGrantChoice(grant)) throw new TypeError("The approver's grant is no grant.");
    return { approved: true, ...who, grant };
  } catch (error) {
    throw new ToolError(
      "permission_denied",
      `${ask.spec.name} was refused because the approval could not be obtained; no person decided this.`,
      { cause: error, audience: "host" },
    );
  }
}
