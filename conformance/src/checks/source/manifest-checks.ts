import { defineCheck, type Check } from "../../context/check.ts";
import {
  declarations,
  isDeclared,
  declarationPath,
  absenceReason,
  type Declaration,
} from "../../contract/manifest.ts";
import { failed, passed } from "../../contract/finding.ts";

/** Declarations that only apply to sources. */
const sourceDeclarations: readonly Declaration[] = ["change", "outage"];

/** Checks of the manifest. */
export const manifestChecks: readonly Check[] = [
  defineCheck("TW-MANIFEST-001", async (context) => {
    const { manifest } = context;
    const { isSource } = await context.subject();
    const undeclared = declarations.filter(
      (declaration) =>
        (isSource || !sourceDeclarations.includes(declaration)) &&
        !isDeclared(manifest, declaration) &&
        absenceReason(manifest, declaration) === undefined,
    );
    const done = `Looked for ${declarations.length} declarations in the manifest.`;
    if (undeclared.length === 0) return passed(done);
    return failed(
      `The manifest does not declare ${undeclared.map(declarationPath).join(", ")}, so rules that need it are not ` +
        `checked: declare ${undeclared.length === 1 ? "it" : "each"}, or give the reason in "without".`,
      done,
      { declared: declarations.filter((declaration) => isDeclared(manifest, declaration)) },
    );
  }),
];
