import type { Manifest } from "../contract/manifest.ts";
import { printableLine } from "../report/printable.ts";
import type { Requirement } from "../requirements/requirement.ts";
import type { Session } from "./session.ts";

/** What a test runner calls the test of a rule, with what the manifest says of it. */
export function testTitle(
  requirement: Requirement,
  { knownFailing = {} }: Manifest,
  session: Session,
): string {
  const { id, text } = requirement;
  const known = knownFailing[id];
  const reason = session.notApplicable(requirement);
  if (known !== undefined) return `${id} ${text} [known to fail: ${printableLine(known)}]`;
  if (reason !== undefined) return `${id} ${text} [not applicable: ${printableLine(reason)}]`;
  return `${id} ${text}`;
}
