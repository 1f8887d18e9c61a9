import { StarlarkError } from "@toolweave/starlark";

/** The error of a call that a script cannot make. */
export function fault(message: string): StarlarkError {
  return new StarlarkError("execution_failed", message);
}

/** @throws StarlarkError `execution_failed` */
export function reject(message: string): never {
  throw fault(message);
}
