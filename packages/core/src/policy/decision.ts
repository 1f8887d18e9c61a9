import type { RegisteredTool } from "../contract/tool.ts";
import type { Caller } from "../contract/caller.ts";
import { isThenable, type JsonObject, type Awaitable } from "../json/json.ts";
import type {
  PermissionRequest,
  PolicyEffect,
  PolicyDefinition,
  PolicyGlobs,
  PolicyPreset,
} from "../contract/policy-definition.ts";

/** The subject of a decision: a call itself, or one permission that it asks for. */
export interface PolicySubject {
  readonly entry: RegisteredTool;
  /** `undefined`: the call itself. */
  readonly permission: PermissionRequest | undefined;
  readonly caller: Caller | undefined;
  /** Final; only policy functions read them, in a frozen copy. */
  readonly arguments: JsonObject;
}

/** The decision of a policy, and its reason. Frozen: many calls share one. */
export interface Decision {
  readonly effect: PolicyEffect;
  /** With the effect `ask`: nothing remembered answers it. */
  readonly ask?: "always";
  /** For a person, for the audit, and for the model when the call is denied. */
  readonly reason: string;
  /** With the effects `ask` and `deny`: what else than a rule that allows changes it, or why such a rule does not. */
  readonly remedy?: string;
  /** With the effects `ask` and `deny`: no rule of the policy decides, so that one that allows would. */
  readonly byDefault?: true;
  /** The deciding rule: its id or place, `preset:supervised`, `default`, `needsApproval` or `function`. */
  readonly rule: string;
  /** The name of the policy that it belongs to. */
  readonly layer: string;
  /** The exception of a policy function, for the host alone. */
  readonly cause?: unknown;
}

/** No policy has an opinion. Any other decision outweighs it; alone, it denies. */
export const noOpinion: Decision = Object.freeze({
  effect: "deny",
  reason: "no policy allows it",
  rule: "default",
  layer: "policy",
});

/** The stricter of two decisions; of equals the first. */
export function stricter(first: Decision, second: Decision): Decision {
  if (first === noOpinion) return second;
  return strictness(second) > strictness(first) ? second : first;
}

function strictness(decision: Decision): number {
  if (decision === noOpinion) return -1;
  if (decision.effect === "allow") return 0;
  if (decision.effect === "deny") return 3;
  return decision.ask === "always" ? 2 : 1;
}

function isFinal(decision: Decision): boolean {
  return decision.effect === "deny" && decision !== noOpinion;
}

/** One policy, checked and ready to decide. */
export interface PolicyLayer {
  readonly name: string;
  /** The calls that it allows depend on the caller. */
  readonly dependsOnCaller: boolean;
  /** `mayRun` is true of every tool and caller. */
  readonly hidesNothing: boolean;
  /** The sources about whose tools alone it decides, as globs over their ids. Absent: all. */
  readonly sources?: PolicyGlobs | undefined;
  /** The same as a policy behind others: decides if a policy for the tool's source has an opinion. */
  withoutDefault?: PolicyLayer;
  /**
   * False when every call of the tool would be denied, so that it need not be listed. Functions hide nothing. Never
   * throws.
   *
   * @param caller the caller; `undefined` is a call without a caller, and not just any call.
   */
  mayRun(entry: RegisteredTool, caller: Caller | undefined): boolean;
  /** The decision about a call itself, if it is the same for every call of the tool. Never throws. */
  decideByTool(entry: RegisteredTool): Decision | undefined;
  /** Decides about one subject, or `noOpinion`. Never throws or rejects: a subject that cannot be decided is denied. */
  decide(subject: PolicySubject): Awaitable<Decision>;
  /** All its decisions about one subject, in order. */
  explain(subject: PolicySubject): Awaitable<readonly Decision[]>;
  /** The policy as data, which means the same when compiled elsewhere; a function has none. */
  toJSON(): PolicyPreset | PolicyDefinition | undefined;
}

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
  return decideFrom(layers, subject, 0, noOpinion);
}

/**
 * The same for a call itself, as far as the tool alone settles it; `undefined`: it depends on who
 * calls, or on the arguments. Never throws.
 */
export function decideByTool(
  layers: readonly PolicyLayer[],
  entry: RegisteredTool,
): Decision | undefined {
  let strictest = noOpinion;
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
  before: Decision,
): Awaitable<Decision> {
  let strictest = before;
  for (let index = start; index < layers.length; index++) {
    const decision = inForce(layers[index] as PolicyLayer, strictest).decide(subject);
    if (isThenable(decision)) {
      const sofar = strictest;
      return decision.then((settled) => {
        const next = stricter(sofar, settled);
        return isFinal(next) ? next : decideFrom(layers, subject, index + 1, next);
      });
    }
    strictest = stricter(strictest, decision);
    if (isFinal(strictest)) break;
  }
  return strictest;
}

/** The form of a layer that counts after a decision: only policies for sources come before an implicit preset. */
function inForce(layer: PolicyLayer, before: Decision): PolicyLayer {
  return before === noOpinion ? layer : (layer.withoutDefault ?? layer);
}

/** The same decision with all that counts for it, for people; every layer is asked. Never rejects. */
export async function explainPermission(
  layers: readonly PolicyLayer[],
  subject: PolicySubject,
): Promise<PolicyExplanation> {
  const considered: Decision[] = [];
  for (const layer of layers) {
    considered.push(...(await inForce(layer, considered[0] ?? noOpinion).explain(subject)));
  }
  return { decision: considered.reduce(stricter, noOpinion), considered };
}
