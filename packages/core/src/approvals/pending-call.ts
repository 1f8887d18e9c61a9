import type {
  PolicyDefinition,
  PolicyPreset,
  PermissionRequest,
} from "../contract/policy-definition.ts";
import type { Caller } from "../contract/caller.ts";
import type { Answer, InterruptionRequest } from "../contract/interruption.ts";
import type { JsonObject, JsonValue } from "../json/json.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import type { GrantChoice } from "../contract/grant.ts";

/** The state that a suspended tool resumes with: its requests and the answers. */
export interface Resumed {
  readonly state: JsonValue;
  readonly requests: readonly InterruptionRequest[];
  readonly answers: readonly Answer[];
}

/**
 * State for resuming an interrupted call, beside the interruption's visible members: plain JSON, sealed into `state`.
 */
export interface PendingCall {
  /** The admitted arguments, before hooks, which run again. */
  readonly admitted: JsonObject;
  /** A keyed hash of the final arguments, which a person is asked to approve. */
  readonly argumentsHash: string;
  /** The values behind the masks of the visible members. */
  readonly unmasked?: {
    readonly arguments: JsonObject;
    readonly requests: readonly InterruptionRequest[];
  };
  /** Number of attempts; 0 when the tool never started. */
  readonly attempt: number;
  /** The approval from before the tool asked to wait. */
  readonly approval?: Approval;
  /** Set when the tool itself asked to wait: the state that it resumes from. */
  readonly suspended?: { readonly state: JsonValue };
  /** Set when a suspended tool was about to resume, and the policy asked. */
  readonly earlier?: Resumed;
  readonly caller?: Caller;
  readonly sessionId?: string;
  readonly turn: number;
  /** The number of earlier calls of the run that had its id. Absent: none. */
  readonly earlierWithId?: number;
  /** The task that the call runs as. */
  readonly taskId?: string;
  /** The call is to become a task. */
  readonly asTask?: true;
  /** Set when the run of the call is durable: which calls run again. */
  readonly durable?: { readonly rerun?: "reads" | "idempotent" };
  /** The last checkpoint of its tool. */
  readonly checkpoint?: JsonValue;
  /** Names of the callable tools, when the policy lets more tools run. */
  readonly tools?: readonly string[];
  /** The policies that narrowed the executor's own. */
  readonly policies?: readonly (PolicyPreset | PolicyDefinition)[];
  /** A narrower policy is a function, which exists only in the process that made the call. */
  readonly onlyHere?: true;
}

/** The approval of a person: for exactly these arguments, and these permissions. */
export interface Approval {
  readonly argumentsHash: string;
  readonly permissions: readonly ApprovedPermission[];
  /**
   * The person has edited the arguments: the summary and the details of a permission may differ from those displayed,
   * its kind and its target may not.
   */
  readonly edited?: true;
}

/** One permission that a person has approved. */
export interface ApprovedPermission {
  readonly permission: PermissionRequest;
  readonly by?: string;
  /** Stored once the call is authorised. */
  readonly grant?: GrantChoice;
}

/**
 * Finds the approval of one permission after the other. Each approval is used once, however similar the permissions
 * are: the approval of one payment does not cover two.
 */
export function approvedPermissions({
  permissions,
  edited,
}: Approval): (permission: PermissionRequest) => ApprovedPermission | undefined {
  const identity = (permission: PermissionRequest): string =>
    canonicalJson(edited === true ? [permission.kind, permission.target] : permission);
  const left = permissions.map((agreed) => ({ agreed, is: identity(agreed.permission) }));
  return (permission) => {
    const wanted = identity(permission);
    const index = left.findIndex(({ is }) => is === wanted);
    return index === -1 ? undefined : left.splice(index, 1)[0]?.agreed;
  };
}
