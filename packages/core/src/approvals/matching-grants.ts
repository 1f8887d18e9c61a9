import { canonicalJson } from "../schema/canonical-json.ts";
import { ToolError } from "../tool-error.ts";
import type { Grant, GrantProposal } from "./grant.ts";
import type { GrantSeal } from "./grant-seal.ts";
import type { GrantStore } from "./grant-store.ts";

/**
 * For each proposal the grant that answers it, if there is one.
 *
 * @param tool the name of the tool, which all proposals are about.
 * @param session the session that the call belongs to, or its run where there is no session.
 * @throws ToolError `store_unavailable` when the store cannot say.
 */
export async function matchingGrants(
  { grants: store, grantSeal }: { readonly grants: GrantStore; readonly grantSeal: GrantSeal },
  tool: string,
  proposals: readonly (GrantProposal | undefined)[],
  session: string,
): Promise<readonly (Grant | undefined)[]> {
  if (proposals.every((proposal) => proposal === undefined)) return [];
  try {
    const grants = await store.list(tool);
    return await Promise.all(
      proposals.map((proposal) => proposal && firstOf(grants, proposal, session, grantSeal)),
    );
  } catch (cause) {
    throw grantsUnavailable(tool, cause);
  }
}

/** The error of a call that depends on a store of grants which does not answer. */
export function grantsUnavailable(tool: string, cause: unknown): ToolError {
  return new ToolError(
    "store_unavailable",
    `${tool} was not run: the store of grants does not answer. Try again later.`,
    { cause },
  );
}

async function firstOf(
  grants: readonly Grant[],
  proposal: GrantProposal,
  session: string,
  seal: GrantSeal,
): Promise<Grant | undefined> {
  for (const grant of grants) {
    if (answers(grant, proposal, session) && (await seal.isGenuine(grant))) return grant;
  }
  return undefined;
}

function answers(grant: Grant, proposal: GrantProposal, session: string): boolean {
  return (
    grant.tool === proposal.tool &&
    grant.specHash === proposal.specHash &&
    grant.permission.kind === proposal.permission.kind &&
    grant.permission.target === proposal.permission.target &&
    (grant.argumentsHash === undefined || grant.argumentsHash === proposal.argumentsHash) &&
    canonicalJson(grant.caller) === canonicalJson(proposal.caller) &&
    (grant.scope === "always" || (grant.scope === "session" && grant.session === session))
  );
}
