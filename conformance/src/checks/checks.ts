import type { Check } from "../check.ts";
import { callChecks } from "./call-checks.ts";
import { cancellationChecks } from "./cancellation-checks.ts";
import { errorChecks } from "./error-checks.ts";
import { lifecycleChecks } from "./lifecycle-checks.ts";
import { nameChecks } from "./name-checks.ts";
import { permissionChecks } from "./permission-checks.ts";
import { resultChecks } from "./result-checks.ts";
import { schemaChecks } from "./schema-checks.ts";
import { specChecks } from "./spec-checks.ts";
import { viewChecks } from "./view-check.ts";

/** How every rule is checked. */
export const checks: readonly Check[] = [
  ...lifecycleChecks,
  ...specChecks,
  ...schemaChecks,
  ...nameChecks,
  ...callChecks,
  ...resultChecks,
  ...errorChecks,
  ...cancellationChecks,
  ...permissionChecks,
  ...viewChecks,
];
