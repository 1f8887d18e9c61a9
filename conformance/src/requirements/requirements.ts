import type { Requirement } from "./requirement.ts";
import {
  callRequirements,
  cancellationRequirements,
  concurrencyRequirements,
  timeoutRequirements,
  secretRequirements,
  purityRequirements,
} from "./call.ts";
import {
  changeRequirements,
  lifecycleRequirements,
  outageRequirements,
  manifestRequirements,
  viewRequirements,
} from "./source.ts";
import { determinismRequirements, specRequirements, nameRequirements } from "./spec.ts";
import {
  errorRequirements,
  resultRequirements,
  eventRequirements,
  largeRequirements,
} from "./result.ts";
import { permissionRequirements, suspensionRequirements } from "./approval.ts";

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
