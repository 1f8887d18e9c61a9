import type { GrantChoice, GrantProposal } from "@toolweave/core";
import { safeValue } from "./safe-text.ts";

/** All that would be saved of a yes for good, for the person who decides. */
export function describeProposals(
  proposals: readonly GrantProposal[],
  choice: GrantChoice,
): string {
  const lines = proposals.map(
    (proposal) => `  ${safeValue(proposal.tool)}: ${describeGrant(proposal, choice)}`,
  );
  return [
    "A grant will be saved, so that no approval is needed for calls of",
    ...lines,
    "  as long as the tool is described as it is now, and until it is revoked.",
    "",
  ].join("\n");
}

/** Describes a grant in one line. */
export function describeGrant(
  { permission: { kind, target }, argumentsHash, caller }: GrantProposal,
  choice: GrantChoice,
): string {
  const isAny = argumentsHash === undefined || typeof choice === "object";
  const masked = isAny && target.includes("[redacted]") ? ", [redacted] being any value," : "";
  return [
    kind === "network" ? safeValue(target) : `${safeValue(kind)}: ${safeValue(target)}`,
    isAny ? `${anyArguments(kind)}${masked}` : "with these arguments",
    ...(caller === undefined ? [] : [`for ${safeValue(caller.id)}`]),
  ].join(" ");
}

/** Describes what a grant for any arguments leaves open: an address is bound with its query, the rest of a request is not. */
function anyArguments(kind: string): string {
  return kind === "network"
    ? "with any arguments that come to this method, URL and query"
    : "with any arguments";
}
