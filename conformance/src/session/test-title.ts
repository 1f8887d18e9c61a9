import type { Manifest } from "../contract/manifest.ts";
import { escapeLine } from "../report/escape-text.ts";
import type { Requirement } from "../requirements/requirement.ts";
import type { Session } from "./session.ts";

/** The name of the test of a rule, with the reason from the manifest. */
export function formatTestTitle(
  requirement: Requirement,
  { knownFailing = {} }: Manifest,
  session: Session,
): string {
  const { id, text } = requirement;
  const known = knownFailing[id];
  const reason = session.notApplicable(requirement);
  if (known !== undefined) return `${id} ${text} [known to fail: ${escapeLine(known)}]`;
  if (reason !== undefined) return `${id} ${text} [not applicable: ${escapeLine(reason)}]`;
  return `${id} ${text}`;
}
