import type { Check } from "../context/check.ts";
import { callChecks } from "./call-checks.ts";
import { cancellationChecks } from "./cancellation-checks.ts";
import { changeChecks } from "./change-checks.ts";
import { concurrencyChecks } from "./concurrency-checks.ts";
import { determinismChecks } from "./determinism-checks.ts";
import { displayChecks } from "./display-checks.ts";
import { errorChecks } from "./error-checks.ts";
import { eventChecks } from "./event-checks.ts";
import { largeChecks } from "./large-checks.ts";
import { lifecycleChecks } from "./lifecycle-checks.ts";
import { manifestChecks } from "./manifest-checks.ts";
import { nameChecks } from "./name-checks.ts";
import { outageChecks } from "./outage-checks.ts";
import { permissionChecks } from "./permission-checks.ts";
import { purityChecks } from "./purity-checks.ts";
import { resultChecks } from "./result-checks.ts";
import { schemaChecks } from "./schema-checks.ts";
import { secretChecks } from "./secret-checks.ts";
import { specChecks } from "./spec-checks.ts";
import { suspensionChecks } from "./suspension-checks.ts";
import { timeoutChecks } from "./timeout-checks.ts";
import { viewChecks } from "./view-checks.ts";

/** How every rule is checked. */
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
