import type { RegisteredTool } from "../contract/tool.ts";
import type { Caller } from "../contract/caller.ts";
import type { JsonObject } from "../json/json.ts";
import type { PermissionRequest } from "../contract/permission-request.ts";
import type { PolicyEffect } from "../contract/policy-definition.ts";

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
