import type { Mutant } from "./mutant.ts";
import { callMutants } from "./call.ts";
import { cancellationMutants } from "./cancellation.ts";
import { changeMutants } from "./change.ts";
import { concurrencyMutants } from "./concurrency.ts";
import { determinismMutants } from "./determinism.ts";
import { errorMutants } from "./error.ts";
import { eventMutants } from "./event.ts";
import { isolationMutants } from "./isolation.ts";
import { largeMutants } from "./large.ts";
import { lifecycleMutants } from "./lifecycle.ts";
import { manifestMutants } from "./manifest.ts";
import { nameMutants } from "./name.ts";
import { outageMutants } from "./outage.ts";
import { permissionMutants } from "./permission.ts";
import { purityMutants } from "./purity.ts";
import { resultMutants } from "./result.ts";
import { secretMutants } from "./secret.ts";
import { specMutants } from "./spec.ts";
import { suspensionMutants } from "./suspension.ts";
import { timeoutMutants } from "./timeout.ts";
import { traceMutants } from "./traces.ts";
import { viewMutants } from "./view.ts";

/** At least one for every must-rule. */
export const mutants: readonly Mutant[] = [
  ...manifestMutants,
  ...lifecycleMutants,
  ...changeMutants,
  ...outageMutants,
  ...specMutants,
  ...nameMutants,
  ...determinismMutants,
  ...secretMutants,
  ...callMutants,
  ...isolationMutants,
  ...traceMutants,
  ...resultMutants,
  ...largeMutants,
  ...errorMutants,
  ...cancellationMutants,
  ...timeoutMutants,
  ...concurrencyMutants,
  ...purityMutants,
  ...permissionMutants,
  ...suspensionMutants,
  ...eventMutants,
  ...viewMutants,
];
