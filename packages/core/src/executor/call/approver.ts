import { isGrantChoice } from "../../approvals/new-grant.ts";
import type { GrantChoice } from "../../contract/grant.ts";
import type { Awaitable, JsonObject } from "../../json/json.ts";
import type { ApprovalRequest } from "../../contract/interruption.ts";
import type { Caller } from "../../contract/caller.ts";
import type { ToolSpec } from "../../contract/tool-spec.ts";
import { formatValue } from "../../text/format-value.ts";
import { ToolError } from "../../contract/tool-error.ts";

/** What an approver decides upon. */
export interface Ask {
  readonly callId: string;
  readonly runId: string;
  readonly spec: ToolSpec;
  /** The final arguments, after hooks, with a mask in place of what is secret. */
  readonly arguments: JsonObject;
  readonly requests: readonly ApprovalRequest[];
  readonly caller?: Caller;
  /** Fires when the call is cancelled, so that nobody needs to be asked any more. */
  readonly signal: AbortSignal;
}

/** An approver's answer to all requests of a call; `reason` is told to the model. */
export type AskAnswer =
  | {
      readonly approved: true;
      /** Who agreed. */
      readonly by?: string;
      /** Agree to calls like this one from now on, too: exactly what each request's `grant` shows. */
      readonly grant?: GrantChoice;
    }
  | { readonly approved: false; readonly reason?: string; readonly by?: string };

/** Decides inline. What it throws, and an answer that is none, refuses the call. */
export type Approver = (ask: Ask) => Awaitable<AskAnswer>;

/**
 * What happens when the policy asks and nobody has agreed yet: the call is interrupted (the
 * default), refused, or decided inline by an approver.
 */
export type OnAsk = "interrupt" | "deny" | Approver;

/**
 * Asks an approver. Only what is plainly a yes is one, and only what is plainly a no is a person's.
 *
 * @throws ToolError `permission_denied` when it cannot say.
 */
export async function approverAnswer(approver: Approver, ask: Ask): Promise<AskAnswer> {
  try {
    const answer: AskAnswer | undefined = await approver(ask);
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
