import type { GrantChoice, GrantProposal } from "./grant.ts";
import type { JsonObject, JsonSchema, JsonValue } from "../json/json.ts";
import type { PermissionRequest } from "./policy-definition.ts";
import type { ToolCall } from "./tool-call.ts";

/** A person must agree before the call runs. */
export interface ApprovalRequest {
  readonly id: string;
  readonly type: "approval";
  /** The action that the call intends. */
  readonly permission: PermissionRequest;
  /**
   * The description of the tool by its source, unverified: on one line, as `displayProse` writes it, of at most 1,000
   * characters. Absent: the source gives none.
   */
  readonly description?: string;
  /** Why the policy asks. */
  readonly reason: string;
  /**
   * Remedy for the host: the change with which such calls run without asking. Absent: a policy function or a tool asks.
   */
  readonly remedy?: string;
  /**
   * The grant that is stored if the person approves for more than this call; nothing else is stored. Absent: the policy
   * asks every time.
   */
  readonly grant?: GrantProposal;
  /** The call that it is about, when that is one which the interrupted tool has made itself. */
  readonly call?: ToolCall;
}

/** A person must sign in somewhere. */
export interface AuthRequest {
  readonly id: string;
  readonly type: "auth";
  /** The credential that is missing, by its name. */
  readonly credential: string;
  readonly message: string;
  /** The page on which the person continues. */
  readonly url?: string;
  /** The code that the person types there, or compares with the displayed code (RFC 8628, the device flow). */
  readonly userCode?: string;
}

/** A person must supply something. */
export interface InputRequest {
  readonly id: string;
  readonly type: "input";
  readonly message: string;
  readonly schema?: JsonSchema;
}

/** The host runs this tool itself and gives the result back. */
export interface ResultRequest {
  readonly id: string;
  readonly type: "result";
  readonly arguments: JsonObject;
}

/** One thing that an interrupted call waits for. */
export type InterruptionRequest = ApprovalRequest | AuthRequest | InputRequest | ResultRequest;

/**
 * A call that waits for a person: plain JSON, to be stored and resumed later, in another process if necessary.
 * `requests` has all that the call needs at once. The interruption must come back unchanged: a host that displays it
 * with parts omitted or replaced does so on a copy.
 */
export interface Interruption {
  readonly id: string;
  readonly runId: string;
  /**
   * The call that has made this one, when a running tool did. It is for that tool to ask for it, in
   * an interruption of its own.
   */
  readonly parentCallId?: string;
  /** The call with its final arguments: those that the tool will get, with a mask in place of what is secret. */
  readonly call: ToolCall;
  /** SHA-256 of the spec that was in force; a tool that changed since is not run. */
  readonly specHash: string;
  readonly requests: readonly InterruptionRequest[];
  /** Milliseconds since the epoch; refused afterwards. */
  readonly expiresAt: number;
  /**
   * The state that the call needs to resume, encrypted and authenticated with the executor's `key`, together with all
   * other fields of the interruption.
   */
  readonly state: string;
}

/** Agree to one request, or to all when `requestId` is absent. */
export interface ApproveAnswer {
  readonly type: "approve";
  readonly requestId?: string;
  /** The person who approved. */
  readonly by?: string;
  /**
   * Approves these arguments instead of the displayed ones. They are validated like a model's; permissions beyond the
   * displayed ones are asked for again. A displayed mask stands, in its place, for the value that it hides; elsewhere
   * it is rejected.
   */
  readonly arguments?: JsonObject;
  /** Agree to calls like this one from now on, too: exactly what the request's `grant` shows. */
  readonly grant?: GrantChoice;
}

/** Refuse; the model reads `reason`. */
export interface RejectAnswer {
  readonly type: "reject";
  readonly requestId?: string;
  readonly reason?: string;
  readonly by?: string;
}

/** The input of a person, for an `input` or `auth` request. */
export interface InputAnswer {
  readonly type: "input";
  readonly requestId?: string;
  readonly value: JsonValue;
}

/** The host's own result, for a `result` request. */
export interface ResultAnswer {
  readonly type: "result";
  readonly requestId?: string;
  readonly value: JsonValue;
}

/** A person's answer to an interruption. */
export type Answer = ApproveAnswer | RejectAnswer | InputAnswer | ResultAnswer;

/** A request of a running tool to a person, without which the tool cannot continue. */
export type SuspensionRequest = InterruptionRequest;

const suspensionBrand: unique symbol = Symbol.for("toolweave.suspension") as never;

/** A running tool that needs a person. Made with `suspend`, so that no data from outside can pass for one. */
export interface Suspension {
  readonly [suspensionBrand]: true;
  readonly requests: readonly SuspensionRequest[];
  /** Given back as `ctx.resumed.state`. */
  readonly state: JsonValue;
}

/**
 * Creates the value that a tool returns to wait for a person.
 *
 * @param requests all requests of the tool at once.
 * @param state the state that the tool needs to resume; comes back as `ctx.resumed.state`.
 */
export function suspend(requests: readonly SuspensionRequest[], state: JsonValue): Suspension {
  return { [suspensionBrand]: true, requests, state };
}

/** True when a tool returned `suspend(…)`. */
export function isSuspension(value: unknown): value is Suspension {
  return typeof value === "object" && value !== null && suspensionBrand in value;
}
