import { defineCheck, type Check } from "../context/check.ts";
import { callChecks } from "./call/call-checks.ts";
import { cancellationChecks } from "./call/cancellation-checks.ts";
import { changeChecks } from "./source/change-checks.ts";
import { concurrencyChecks } from "./call/concurrency-checks.ts";
import { determinismChecks } from "./spec/determinism-checks.ts";
import { displayChecks } from "./spec/display-checks.ts";
import { errorChecks } from "./result/error-checks.ts";
import { eventChecks } from "./result/event-checks.ts";
import { largeChecks } from "./result/large-checks.ts";
import { lifecycleChecks } from "./source/lifecycle-checks.ts";
import { nameChecks, specChecks } from "./spec/spec-checks.ts";
import { outageChecks } from "./source/outage-checks.ts";
import { permissionChecks } from "./approval/permission-checks.ts";
import { purityChecks } from "./call/purity-checks.ts";
import { resultChecks } from "./result/result-checks.ts";
import { schemaChecks } from "./spec/schema-checks.ts";
import { secretChecks } from "./call/secret-checks.ts";
import { suspensionChecks } from "./approval/suspension-checks.ts";
import { timeoutChecks } from "./call/timeout-checks.ts";
import { viewChecks } from "./source/view-checks.ts";
import {
  declarations,
  isDeclared,
  declarationPath,
  absenceReason,
  type Declaration,
} from "../contract/manifest.ts";
import { failed, passed } from "../contract/finding.ts";

/** Declarations that only apply to sources. */
const sourceDeclarations: readonly Declaration[] = ["change", "outage"];

/** Checks of the manifest. */
const manifestChecks: readonly Check[] = [
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

/** The checks of all rules. */
export const checks: readonly Check[] = [
  ...manifestChecks,
  ...lifecycleChecks,
  ...changeChecks,
  ...outageChecks,
  ...specChecks,
  ...schemaChecks,
  ...nameChecks,
  ...determinismChecks,
  ...secretChecks,
  ...callChecks,
  ...resultChecks,
  ...largeChecks,
  ...errorChecks,
  ...cancellationChecks,
  ...timeoutChecks,
  ...concurrencyChecks,
  ...purityChecks,
  ...permissionChecks,
  ...suspensionChecks,
  ...displayChecks,
  ...eventChecks,
  ...viewChecks,
];
