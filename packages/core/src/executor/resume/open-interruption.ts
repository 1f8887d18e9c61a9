import type { PendingCall } from "../../approvals/pending-call.ts";
import { narrowPolicy } from "../../policy/compile-policy.ts";
import type { PolicyLayer } from "../../policy/decision.ts";
import type { Toolset } from "../../contract/tool.ts";
import { canonicalJson } from "../../json/canonical-json.ts";
import type { Answer, Interruption } from "../../contract/interruption.ts";
import { approvalInvalid } from "../call/to-tool-error.ts";
import type { CallServices } from "../call/call-state.ts";
import { toJson } from "../../json/to-json.ts";
import { cloneJson } from "../../json/clone-json.ts";
import type { RunState } from "../call/run-state.ts";

/**
 * Reads the answers once.
 *
 * @throws ToolError `approval_invalid` when they are not a list of answers.
 */
export function readAnswers(answers: readonly Answer[]): readonly Answer[] {
  const given: unknown = Array.isArray(answers) ? cloneJson(toJson(answers)) : undefined;
  if (Array.isArray(given) && given.every((one) => typeof one === "object" && one !== null)) {
    return given as readonly Answer[];
  }
  throw approvalInvalid(`The answers are no list of answers: pass [{ type: "approve" }], for one.`);
}

/**
 * Opens the state that an interruption was sealed with.
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

/** @throws ToolError `approval_invalid` when `run` belongs to another caller or session than the call. */
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
  // Compiled below the executor's own policies: the outermost layer would get a default of its own.
  return narrowPolicy(engine.policies, policies).slice(engine.policies.length);
}

/** The part of the toolset that was advertised when the call was made: waiting must not make more tools callable. */
export function callable(now: Toolset, { tools }: PendingCall): Toolset {
  if (tools === undefined) return now;
  const then = new Set(tools);
  return now.filter(({ tool }) => then.has(tool.spec.name));
}
