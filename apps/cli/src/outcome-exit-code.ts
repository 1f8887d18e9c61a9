import type { ToolErrorCode, ToolOutcome } from "@toolweave/core";
import { exitCode } from "./process/exit-code.ts";

const byErrorCode: Readonly<Partial<Record<ToolErrorCode, number>>> = {
  not_found: exitCode.usage,
  not_advertised: exitCode.refused,
  invalid_arguments: exitCode.usage,
  permission_denied: exitCode.refused,
  approval_rejected: exitCode.refused,
  approval_invalid: exitCode.refused,
};

/** What the process ends with after a call. */
export function outcomeExitCode(outcome: ToolOutcome, interrupted: boolean): number {
  switch (outcome.status) {
    case "completed":
      return outcome.result.isError ? exitCode.toolError : exitCode.completed;
    case "interrupted":
      return exitCode.refused;
    case "failed":
      if (interrupted && outcome.error.code === "cancelled") return exitCode.interrupted;
      return byErrorCode[outcome.error.code] ?? exitCode.toolError;
  }
}
