import { createHash } from "node:crypto";
import type { Caller, Interruption, InterruptionRequest, ToolExecutor } from "@toolweave/core";
import { canonicalJson } from "@toolweave/core/adapter";
import type { PendingCallRecord, PendingCallStatus } from "@toolweave/core/stores";

/** A call that waits for a person, without its sealed state. */
export interface Approval {
  readonly id: string;
  /** `pending`: it can be answered. `claimed`: it is running. `finished`: it was answered. `unfinished`: unknown. */
  readonly status: PendingCallStatus;
  /**
   * False: it was changed in the store, or belongs to an executor with another key. Then it cannot be answered, and the
   * members below are absent, except for `expiresAt`.
   */
  readonly verified: boolean;
  /** Milliseconds since the epoch; answers are refused afterwards. */
  readonly expiresAt: number;
  readonly runId?: string;
  /** The call above this one, which asks for it. It is answered there. */
  readonly parentCallId?: string;
  /** The call as a person sees it: secrets are masked. */
  readonly call?: { readonly id: string; readonly name: string; readonly arguments?: unknown };
  /** SHA-256 of the definition of the tool. */
  readonly specHash?: string;
  /** The requests of the call, each with its permission and the reason of the policy. */
  readonly requests?: readonly InterruptionRequest[];
  /** The caller that the call was made for. Absent: there is none. */
  readonly requester?: Caller;
  /** Identifies what was displayed; an answer carries it back. */
  readonly digest?: string;
  /** In a list: arguments, requests and digest are longer than a row, and are omitted. Read the approval itself. */
  readonly truncated?: true;
}

/** Characters of an approval in a list. */
const maxRowLength = 16_384;

/** Converts a record of a store for display. */
export async function toApproval(
  executor: ToolExecutor,
  { interruption, status }: PendingCallRecord,
): Promise<Approval> {
  const { id, runId, parentCallId, call, specHash, requests, expiresAt } = interruption;
  const origin = await executor.inspect(interruption);
  if (origin === undefined) return { id, status, verified: false, expiresAt };
  return {
    id,
    status,
    verified: true,
    expiresAt,
    runId,
    ...(parentCallId === undefined ? {} : { parentCallId }),
    call: withoutMetadata(call),
    specHash,
    requests: requests.map(displayedRequest),
    ...(origin.caller === undefined ? {} : { requester: origin.caller }),
    digest: getDigest(interruption),
  };
}

/** Omits the members of an approval that are too long for a row of a list. */
export function toRow(approval: Approval): Approval {
  if (JSON.stringify(approval).length <= maxRowLength) return approval;
  const { call, requests: _, digest: __, ...others } = approval;
  return {
    ...others,
    ...(call === undefined ? {} : { call: { id: call.id, name: call.name } }),
    truncated: true,
  };
}

/**
 * Identifies an approval as it was displayed, together with its sealed state: a SHA-256 digest in base64url. If any
 * part of the approval differs, the digest does.
 */
export function getDigest(interruption: Interruption): string {
  const { id, runId, parentCallId, call, specHash, requests, expiresAt, state } = interruption;
  const displayed = { id, runId, parentCallId, call, specHash, requests, expiresAt, state };
  return createHash("sha256").update(canonicalJson(displayed)).digest("base64url");
}

function displayedRequest(request: InterruptionRequest): InterruptionRequest {
  return request.type === "approval" && request.call !== undefined
    ? { ...request, call: withoutMetadata(request.call) }
    : request;
}

/** Metadata of a call is for the host that made it. */
function withoutMetadata<Call extends Interruption["call"]>({
  id,
  name,
  arguments: args,
}: Call): Pick<Call, "id" | "name" | "arguments"> {
  return { id, name, arguments: args };
}
