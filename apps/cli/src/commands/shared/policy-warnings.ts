import type { ToolExecutor } from "@toolweave/core";
import { describeError } from "../../render/describe-error.ts";
import type { Output } from "../../process/output.ts";

/**
 * Says which rules of the policy can never match, each with its place. What the configuration's own
 * warnings have said already is not said again.
 *
 * @returns all of them, a sentence each.
 */
export function printPolicyWarnings(executor: ToolExecutor, output: Output): readonly string[] {
  const found = executor.configurationWarnings();
  for (const { where, message } of found) {
    if (output.said.some((said) => said.includes(message))) continue;
    output.printMessage(describeError(sentence(where, message), false));
  }
  return found.map(({ where, message }) => sentence(where, message));
}

function sentence(where: string, message: string): string {
  return `${where} ${message}${/[.?]$/.test(message) ? "" : "."}`;
}
