import type { RegisteredTool } from "../contract/tool.ts";
import type { Caller } from "../contract/caller.ts";
import { isThenable, type Awaitable } from "../json/json.ts";
import { stricter, type Decision, type PolicySubject, type PolicyLayer } from "./decision.ts";

/** A decision, and everything that was weighed for it. */
export interface PolicyExplanation {
  readonly decision: Decision;
  /** Every rule of every layer that matches, and the defaults that count, in order. */
  readonly considered: readonly Decision[];
}

/** False when some layer denies every call of the tool, so that it need not be listed. Never throws. */
export function mayRun(
  layers: readonly PolicyLayer[],
  entry: RegisteredTool,
  caller: Caller | undefined,
): boolean {
  for (const layer of layers) if (!layer.mayRun(entry, caller)) return false;
  return true;
}

/**
 * The strictest decision of the layers, and of equals the first: deny before `ask: "always"` before ask before allow. A
 * deny ends the evaluation. A promise only if a policy function returns one. Never throws or rejects.
 */
export function decidePermission(
  layers: readonly PolicyLayer[],
  subject: PolicySubject,
): Awaitable<Decision> {
  return decideFrom(layers, subject, 0, undefined);
}

/**
 * The same for a call itself, as far as the tool alone settles it; `undefined`: it depends on who
 * calls, or on the arguments. Never throws.
 */
export function decideByTool(
  layers: readonly PolicyLayer[],
  entry: RegisteredTool,
): Decision | undefined {
  let strictest: Decision | undefined;
  for (const layer of layers) {
    const decision = layer.decideByTool(entry);
    if (decision === undefined) return undefined;
    strictest = stricter(strictest, decision);
  }
  return strictest;
}

function decideFrom(
  layers: readonly PolicyLayer[],
  subject: PolicySubject,
  start: number,
  before: Decision | undefined,
): Awaitable<Decision> {
  let strictest = before;
  for (let index = start; index < layers.length; index++) {
    const decision = (layers[index] as PolicyLayer).decide(subject);
    if (isThenable(decision)) {
      const sofar = strictest;
      return decision.then((settled) => {
        const strictest = stricter(sofar, settled);
        return strictest.effect === "deny"
          ? strictest
          : decideFrom(layers, subject, index + 1, strictest);
      });
    }
    strictest = stricter(strictest, decision);
    if (strictest.effect === "deny") return strictest;
  }
  return strictest ?? noPolicy;
}

/** The same decision with all that counts for it, for people; every layer is asked. Never rejects. */
export async function explainPermission(
  layers: readonly PolicyLayer[],
  subject: PolicySubject,
): Promise<PolicyExplanation> {
  const considered: Decision[] = [];
  for (const layer of layers) considered.push(...(await layer.explain(subject)));
  const decision = considered.reduce<Decision | undefined>(stricter, undefined);
  return { decision: decision ?? noPolicy, considered };
}

const noPolicy: Decision = Object.freeze({
  effect: "deny",
  reason: "no policy allows it",
  rule: "default",
  layer: "policy",
});
