import { ToolError } from "@toolweave/core";
import { expect } from "vitest";

/** The `ToolError` that a promise rejects with; any other result fails the test. */
export async function failure(promise: Promise<unknown>): Promise<ToolError> {
  const outcome: unknown = await promise.then(
    () => "resolved",
    (error: unknown) => error,
  );
  if (!ToolError.is(outcome)) expect.fail(`expected a ToolError, got ${String(outcome)}`);
  return outcome;
}
