import type { RegisteredTool } from "../contract/tool.ts";
import type { Caller } from "../contract/caller.ts";
import type { Awaitable } from "../json/json.ts";
import type { Decision, PolicySubject } from "./decision.ts";
import type { PolicyDefinition, PolicyPreset } from "../contract/policy-definition.ts";

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
