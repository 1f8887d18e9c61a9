import type { Requirement } from "./requirement.ts";
import { callRequirements } from "./requirements/call.ts";
import { cancellationRequirements } from "./requirements/cancellation.ts";
import { changeRequirements } from "./requirements/change.ts";
import { concurrencyRequirements } from "./requirements/concurrency.ts";
import { determinismRequirements } from "./requirements/determinism.ts";
import { errorRequirements } from "./requirements/error.ts";
import { eventRequirements } from "./requirements/event.ts";
import { largeRequirements } from "./requirements/large.ts";
import { lifecycleRequirements } from "./requirements/lifecycle.ts";
import { manifestRequirements } from "./requirements/manifest.ts";
import { nameRequirements } from "./requirements/name.ts";
import { outageRequirements } from "./requirements/outage.ts";
import { permissionRequirements } from "./requirements/permission.ts";
import { purityRequirements } from "./requirements/purity.ts";
import { resultRequirements } from "./requirements/result.ts";
import { secretRequirements } from "./requirements/secret.ts";
import { specRequirements } from "./requirements/spec.ts";
import { suspensionRequirements } from "./requirements/suspension.ts";
import { timeoutRequirements } from "./requirements/timeout.ts";
import { viewRequirements } from "./requirements/view.ts";

/** Every rule that a tool, a source or an adapter can break, in the order they are checked. */
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

/** The rule that everything else stands on: without a subject there is nothing to look at. */
export const openingId = "TW-LIFE-001";

/** The rule that says what the manifest is silent about, and why the rules that need it are not checked. */
export const silenceId = "TW-MANIFEST-001";
