import { ToolError } from "@toolweave/core";
import { UsageError } from "../../process/exit-code.ts";

/** The result of one check. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  /** The finding, without values of variables and without secrets. */
  readonly detail: string;
  /** The command or change that repairs it. */
  readonly remedy?: string;
}

/** The result, or the error that a person can do something about. */
export async function attempt<T>(work: () => T | Promise<T>): Promise<T | Error> {
  try {
    return await work();
  } catch (error) {
    if (ToolError.is(error) || error instanceof UsageError) return error;
    throw error;
  }
}
