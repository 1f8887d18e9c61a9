import { ToolError } from "@toolweave/core";
import { nearNames } from "@toolweave/core/adapter";
import { areas } from "../requirements/areas.ts";
import type { Requirement } from "../requirements/requirement.ts";
import { creationRuleId, requirements } from "../requirements/requirements.ts";
import type { Manifest } from "../contract/manifest.ts";
import { escapeLine } from "../report/report.ts";
import type { Session } from "./session.ts";

/**
 * The selected rules and the rules that they build on, in the order of `requirements`.
 *
 * @param only ids (`TW-SPEC-003`) and areas (`SPEC`); every rule if `undefined`.
 * @throws ToolError `invalid_configuration` for an unknown rule or area.
 */
export function selectRules(only: readonly string[] | undefined): readonly Requirement[] {
  if (only === undefined) return requirements;
  const chosen = new Set<string>();
  const choose = ({ id, presupposes }: Requirement): void => {
    if (chosen.has(id)) return;
    chosen.add(id);
    for (const rule of requirements) if (presupposes.includes(rule.id)) choose(rule);
  };
  for (const written of only) {
    const name = written.toUpperCase().replace(/^(?!TW-)/, "TW-");
    const meant = requirements.filter(({ id }) => id === name || id.startsWith(`${name}-`));
    if (meant.length === 0) throw unknownRuleError(written);
    for (const rule of meant) choose(rule);
  }
  // Without a subject no rule can be checked.
  chosen.add(creationRuleId);
  return requirements.filter(({ id }) => chosen.has(id));
}

function unknownRuleError(written: string): ToolError {
  const known = [...requirements.map(({ id }) => id), ...areas.map(({ area }) => area)];
  const [near] = nearNames(written.toUpperCase(), known, 1);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  const message = `There is no rule or area ${JSON.stringify(written)}.${hint}`;
  return new ToolError("invalid_configuration", message);
}

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
