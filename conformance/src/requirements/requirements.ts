import type { Requirement } from "./requirement.ts";
import { callRequirements } from "./call.ts";
import { cancellationRequirements } from "./cancellation.ts";
import { changeRequirements } from "./change.ts";
import { concurrencyRequirements } from "./concurrency.ts";
import { determinismRequirements } from "./determinism.ts";
import { errorRequirements } from "./error.ts";
import { eventRequirements } from "./event.ts";
import { largeRequirements } from "./large.ts";
import { lifecycleRequirements } from "./lifecycle.ts";
import { manifestRequirements } from "./manifest.ts";
import { nameRequirements } from "./name.ts";
import { outageRequirements } from "./outage.ts";
import { permissionRequirements } from "./permission.ts";
import { purityRequirements } from "./purity.ts";
import { resultRequirements } from "./result.ts";
import { secretRequirements } from "./secret.ts";
import { specRequirements } from "./spec.ts";
import { suspensionRequirements } from "./suspension.ts";
import { timeoutRequirements } from "./timeout.ts";
import { viewRequirements } from "./view.ts";

/**
 * Every rule that a tool, a source or an adapter can break, in the order in which they are checked.
 */
export const requirements: readonly Requirement[] = [
  ...manifestRequirements,
  ...lifecycleRequirements,
  ...changeRequirements,
  ...outageRequirements,
  ...specRequirements,
  ...nameRequirements,
  ...determinismRequirements,
  ...secretRequirements,
  ...callRequirements,
  ...resultRequirements,
  ...largeRequirements,
  ...errorRequirements,
  ...cancellationRequirements,
  ...timeoutRequirements,
  ...concurrencyRequirements,
  ...purityRequirements,
  ...permissionRequirements,
  ...suspensionRequirements,
  ...eventRequirements,
  ...viewRequirements,
];

/** The rule that all others build on: without a subject there is nothing to check. */
export const creationRuleId = "TW-LIFE-001";

/** The rule that reports what the manifest does not declare, so that rules are not checked. */
export const manifestRuleId = "TW-MANIFEST-001";
