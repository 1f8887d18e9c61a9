import type { RegisteredTool } from "../contract/tool.ts";
import type { Caller } from "../contract/caller.ts";
import type { JsonObject, Awaitable } from "../json/json.ts";
import type {
  PermissionRequest,
  PolicyEffect,
  PolicyDefinition,
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
  /** The deciding rule: its id or place, `preset:supervised`, `default` or `function`. */
  readonly rule: string;
  /** The name of the policy that it belongs to. */
  readonly layer: string;
  /** The exception of a policy function, for the host alone. */
  readonly cause?: unknown;
}

/** The stricter of two decisions; of equals the first. */
export function stricter(first: Decision | undefined, second: Decision): Decision {
  return first === undefined || strictness(second) > strictness(first) ? second : first;
}

function strictness({ effect, ask }: Decision): number {
  if (effect === "allow") return 0;
  if (effect === "deny") return 3;
  return ask === "always" ? 2 : 1;
}

/** One policy, checked and ready to decide. */
export interface PolicyLayer {
  readonly name: string;
  /** The calls that it allows depend on the caller. */
  readonly dependsOnCaller: boolean;
  /** `mayRun` is true of every tool and caller. */
  readonly hidesNothing: boolean;
  /**
   * False when every call of the tool would be denied, so that it need not be listed. Functions hide nothing. Never
   * throws.
   *
   * @param caller the caller; `undefined` is a call without a caller, and not just any call.
   */
  mayRun(entry: RegisteredTool, caller: Caller | undefined): boolean;
  /** The decision about a call itself, if it is the same for every call of the tool. Never throws. */
  decideByTool(entry: RegisteredTool): Decision | undefined;
  /** Decides about one subject. Never throws or rejects: a subject that cannot be decided is denied. */
  decide(subject: PolicySubject): Awaitable<Decision>;
  /** All its decisions about one subject, in order. */
  explain(subject: PolicySubject): Awaitable<readonly Decision[]>;
  /** The policy as data, which means the same when compiled elsewhere; a function has none. */
  toJSON(): PolicyPreset | PolicyDefinition | undefined;
}
