import type { PendingCall } from "../../approvals/pending-call.ts";
import { narrowPolicy } from "../../policy/compile-policy.ts";
import type { PolicyLayer } from "../../policy/policy-layer.ts";
import type { Toolset } from "../../contract/tool.ts";
import { canonicalJson } from "../../json/canonical-json.ts";
import type { Answer, Interruption } from "../../contract/interruption.ts";
import { approvalInvalid } from "../call/approval-invalid.ts";
import type { CallServices } from "../call/call-state.ts";
import { toJson } from "../../json/to-json.ts";
import { cloneJson } from "../../json/clone-json.ts";
import type { RunState } from "../call/run-state.ts";

/** The answers, read once. @throws ToolError `approval_invalid` when they are none. */
export function readAnswers(answers: readonly Answer[]): readonly Answer[] {
  const given: unknown = Array.isArray(answers) ? cloneJson(toJson(answers)) : undefined;
  if (Array.isArray(given) && given.every((one) => typeof one === "object" && one !== null)) {
    return given as readonly Answer[];
  }
  throw approvalInvalid(`The answers are no list of answers: pass [{ type: "approve" }], for one.`);
}

/**
 * What an interruption was sealed with.
 *
 * @throws ToolError `approval_invalid` when it was changed, or sealed with another key.
 */
export async function openInterruption(
  engine: CallServices,
  interruption: Interruption,
): Promise<PendingCall> {
  const pending = await engine.seal.open(interruption);
  if (pending !== undefined) return pending;
  const { name } = interruption.call;
  if (name === "") {
    throw approvalInvalid("This is no interruption: pass outcome.interruption, unchanged.");
  }
  throw approvalInvalid(
    engine.seal.shared
      ? `This interruption of ${name} cannot be opened: it was changed, or belongs to an executor with another key.`
      : `This interruption of ${name} cannot be opened: it was changed, or belongs to another process. To resume calls of other processes, set the same \`key\` on every executor.`,
  );
}

/** @throws ToolError `approval_invalid` when `run` acts for somebody else than the call did. */
export function checkBehalf(run: RunState, pending: PendingCall, name: string): void {
  if (behalf(run) === behalf(pending)) return;
  throw approvalInvalid(`The interruption of ${name} belongs to another caller or session.`);
}

function behalf({ caller, sessionId }: RunState | PendingCall): string {
  return canonicalJson([caller, sessionId]);
}

/**
 * The policies that narrowed the executor's own for a call.
 *
 * @throws ToolError `approval_invalid` when one of them is a function of another process.
 */
export function narrowerPolicies(
  engine: CallServices,
  { id, call }: Interruption,
  { policies, onlyHere }: PendingCall,
): readonly PolicyLayer[] {
  const live = engine.liveCalls.get(id);
  if (live !== undefined) return live.narrower;
  if (onlyHere === true) {
    throw approvalInvalid(
      `${call.name} was narrowed by a policy that is a function, which only the process that made the call has; make the call again.`,
    );
  }
  if (policies === undefined) return [];
  // Compiled below the executor's own: the first layer of all would get a default of its own.
  return narrowPolicy(engine.policies, policies).slice(engine.policies.length);
}

/** What was not advertised when the call was made has not become callable by waiting. */
export function callable(now: Toolset, { tools }: PendingCall): Toolset {
  if (tools === undefined) return now;
  const then = new Set(tools);
  return now.filter(({ tool }) => then.has(tool.spec.name));
}
