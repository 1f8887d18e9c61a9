import { answerWithin, type CallInfo, type WaitingCall } from "../contract/call-info.ts";
import type { GrantStore, Grant, GrantProposal } from "../contract/grant.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import { isThenable, promised } from "../json/json.ts";
import { ToolError } from "../contract/tool-error.ts";
import { base64url, fromBase64url } from "../text/base64.ts";
import type { CryptoKey, Secret } from "./secret.ts";

/** A call that grants may answer. */
export interface GrantedCall extends CallInfo, WaitingCall {
  readonly engine: {
    readonly grants: GrantStore;
    readonly grantSeal: GrantSeal;
    readonly hookTimeoutMs: number;
  };
}

/** The result of a search in the store for one proposal. */
export interface FoundGrant {
  /** The grant that answers it. */
  readonly grant?: Grant;
  /** If no grant answers it: the last one that would, had the tool not changed. */
  readonly outdated?: Grant;
}

/**
 * Finds the grant that answers each of a call's proposals.
 *
 * @throws ToolError `store_unavailable` when the store does not answer.
 */
export async function matchingGrants(
  execution: GrantedCall,
  proposals: readonly (GrantProposal | undefined)[],
): Promise<readonly (FoundGrant | undefined)[]> {
  if (proposals.every((proposal) => proposal === undefined)) return [];
  const { engine, call, run } = execution;
  const session = run.sessionId ?? run.id;
  try {
    const listed = engine.grants.list(call.name);
    const grants = isThenable(listed)
      ? await answerWithin(execution, engine.hookTimeoutMs, promised(listed))
      : listed;
    return await Promise.all(
      proposals.map(
        (proposal) => proposal && findFirstMatch(grants, proposal, session, engine.grantSeal),
      ),
    );
  } catch (cause) {
    throw grantsUnavailable(call.name, cause);
  }
}

/** Creates the error of a call when the store of grants does not answer. */
export function grantsUnavailable(tool: string, cause: unknown): ToolError {
  return new ToolError(
    "store_unavailable",
    `${tool} was not run: the store of grants does not answer. Try again later.`,
    { cause },
  );
}

async function findFirstMatch(
  grants: readonly Grant[],
  proposal: GrantProposal,
  session: string,
  seal: GrantSeal,
): Promise<FoundGrant> {
  let outdated: Grant | undefined;
  for (const grant of grants) {
    if (!fits(grant, proposal, session) || !(await seal.isGenuine(grant))) continue;
    if (grant.specHash === proposal.specHash) return { grant };
    outdated = grant;
  }
  return outdated === undefined ? {} : { outdated };
}

/** True when the grant covers the proposal, whatever version of the tool it was given for. */
function fits(grant: Grant, proposal: GrantProposal, session: string): boolean {
  return (
    grant.tool === proposal.tool &&
    grant.permission.kind === proposal.permission.kind &&
    grant.permission.target === proposal.permission.target &&
    (grant.argumentsHash === undefined || grant.argumentsHash === proposal.argumentsHash) &&
    canonicalJson(grant.caller) === canonicalJson(proposal.caller) &&
    (grant.scope === "always" || (grant.scope === "session" && grant.session === session))
  );
}

/**
 * Distinguishes grants that a person has given from grants that were written into the store by others: an HMAC-SHA-256
 * over the whole grant. Only with a key of the host's, since stores outlive processes.
 */
export class GrantSeal {
  readonly #secret: Secret;
  #key: Promise<CryptoKey> | undefined;

  constructor(secret: Secret) {
    this.#secret = secret;
  }

  /** Returns the grant with its seal, if the host has set a key. */
  async sign(grant: Grant): Promise<Grant> {
    if (!this.#secret.shared) return grant;
    const seal = await crypto.subtle.sign("HMAC", await this.#derived(), toSealedBytes(grant));
    return { ...grant, seal: base64url(new Uint8Array(seal)) };
  }

  /** True for a grant as it was signed, and for any grant without a key of the host's. */
  async isGenuine(grant: Grant): Promise<boolean> {
    if (!this.#secret.shared) return true;
    try {
      const seal = fromBase64url(grant.seal ?? "");
      return await crypto.subtle.verify("HMAC", await this.#derived(), seal, toSealedBytes(grant));
    } catch {
      return false;
    }
  }

  #derived(): Promise<CryptoKey> {
    return (this.#key ??= this.#secret.derive("grant 1", {
      name: "HMAC",
      hash: "SHA-256",
      length: 256,
    }));
  }
}

function toSealedBytes(grant: Grant): Uint8Array<ArrayBuffer> {
  const { seal: _, ...sealed } = grant;
  return new TextEncoder().encode(canonicalJson(sealed));
}
