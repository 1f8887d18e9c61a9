import type { Check } from "../context/check.ts";
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
import { manifestChecks } from "./source/manifest-checks.ts";
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
