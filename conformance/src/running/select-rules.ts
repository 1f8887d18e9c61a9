import { nearNames, ToolError } from "@toolweave/core";
import { areas } from "../requirements/areas.ts";
import type { Requirement } from "../requirements/requirement.ts";
import { openingId, requirements } from "../requirements/requirements.ts";

/**
 * The rules that are meant, and what they stand on, in the order of `requirements`.
 *
 * @param only ids (`TW-SPEC-003`) and areas (`SPEC`); undefined: every rule.
 * @throws ToolError `internal` for what is neither.
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
    if (meant.length === 0) throw unknown(written);
    for (const rule of meant) choose(rule);
  }
  // Without a subject there is nothing that a rule could say.
  chosen.add(openingId);
  return requirements.filter(({ id }) => chosen.has(id));
}

function unknown(written: string): ToolError {
  const known = [...requirements.map(({ id }) => id), ...areas.map(({ area }) => area)];
  const [near] = nearNames(written.toUpperCase(), known, 1);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  const message = `There is no rule and no area ${JSON.stringify(written)}.${hint}`;
  return new ToolError("internal", message);
}
