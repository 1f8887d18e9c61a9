import type { ToolExecutor } from "@toolweave/core";
import type { Output } from "../../process/output.ts";
import { describeError } from "../../render/describe-error.ts";

/**
 * Prints which rules of the policy can never match, each with its place. What the configuration's
 * warnings have printed already is not printed again.
 *
 * @returns all of them, a sentence each.
 */
export function printPolicyWarnings(executor: ToolExecutor, output: Output): readonly string[] {
  const found = executor.configurationWarnings();
  for (const { where, message } of found) {
    if (output.messages.some((printed) => printed.includes(message))) continue;
    output.printMessage(describeError(sentence(where, message), false));
  }
  return found.map(({ where, message }) => sentence(where, message));
}

function sentence(where: string, message: string): string {
  return `${where} ${message}${/[.?]$/.test(message) ? "" : "."}`;
}
