import { check, type Check } from "../context/check.ts";
import { declarations, declares, placeOf, reasonWithout } from "../contract/declarations.ts";
import { failed, passed } from "../contract/finding.ts";
import type { Declaration } from "../contract/manifest.ts";

/** Nothing that a list of tools could have. */
const ofSources: readonly Declaration[] = ["change", "outage"];

/** What an author says of a subject. */
export const manifestChecks: readonly Check[] = [
  check("TW-MANIFEST-001", async (context) => {
    const { manifest } = context;
    const { isSource } = await context.subject();
    const silent = declarations.filter(
      (declaration) =>
        (isSource || !ofSources.includes(declaration)) &&
        !declares(manifest, declaration) &&
        reasonWithout(manifest, declaration) === undefined,
    );
    const done = `Looked for ${declarations.length} declarations in the manifest.`;
    if (silent.length === 0) return passed(done);
    return failed(
      `The manifest says nothing of ${silent.map(placeOf).join(", ")}, and rules that need it are not ` +
        `checked: declare ${silent.length === 1 ? "it" : "each"}, or say in "without" why there is none.`,
      done,
      { declared: declarations.filter((declaration) => declares(manifest, declaration)) },
    );
  }),
];
