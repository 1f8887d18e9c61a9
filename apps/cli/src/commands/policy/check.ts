import { ToolExecutor, ToolRegistry, type PolicyEffect, type PolicyInput } from "@toolweave/core";
import { analyzeCommand, workspacePolicy, workspaceTools, type Risk } from "@toolweave/workspace";
import { loadPolicy } from "../../input/policy-option.ts";
import { exitCode, UsageError } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { describeError } from "../../render/describe-error.ts";
import { formatJson } from "../../render/json.ts";
import { safeLine, safeValue } from "../../render/text.ts";

/** The options of `toolweave policy check`. */
export interface CheckOptions {
  readonly root?: string;
  readonly maxRisk?: string;
  readonly policy?: string;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** The exit codes of the decisions, for scripts and hooks. */
const exitCodes: Readonly<Record<PolicyEffect, number>> = {
  allow: exitCode.completed,
  ask: exitCode.asks,
  deny: exitCode.denied,
};

const verdicts: Readonly<Record<PolicyEffect, string>> = {
  allow: "It runs without asking.",
  ask: "It asks first.",
  deny: "It is denied.",
};

const risks: readonly string[] = ["none", "low", "medium", "high"];

/** `toolweave policy check`: prints the commands of a script, and whether a policy lets them run. Nothing is run. */
export async function check(
  script: string,
  { root = ".", maxRisk = "low", policy: written, json = false, verbose = false }: CheckOptions,
  output: Output,
): Promise<number> {
  if (!risks.includes(maxRisk)) {
    throw new UsageError(`--max-risk is ${safeValue(maxRisk)}; use none, low, medium or high.`);
  }
  if (script.trim() === "") {
    throw new UsageError("The script is empty; pass it as one argument, in quotes.");
  }
  const further = await loadPolicy(written);
  const policy: PolicyInput = [
    workspacePolicy({ maxRisk: maxRisk as "none" | Risk }),
    ...(further === undefined ? [] : [further].flat()),
  ];
  const registry = new ToolRegistry([workspaceTools({ root, sandbox: "none" })]);
  try {
    const executor = new ToolExecutor({ registry, policy });
    const explanation = await executor.explain({ name: "bash", arguments: { command: script } });
    const { effect, requests, problem } = explanation;
    const { isKnown, commands, unknown, risk } = analyzeCommand(script);
    if (json) {
      const decisions = requests.map(({ permission, effect: one, rule, layer, reason }) => ({
        permission,
        effect: one,
        rule,
        layer,
        reason,
      }));
      await output.write(
        formatJson({ effect, isKnown, risk, commands, unknown, decisions }, output),
      );
      return exitCodes[effect];
    }
    if (problem !== undefined) output.printMessage(describeError(problem, verbose));
    await output.write(`${verdicts[effect]}\n`);
    for (const { reason, span } of unknown) {
      const part = script.slice(...span);
      await output.write(`not understood: ${safeLine(reason)}: ${safeLine(part.slice(0, 80))}\n`);
    }
    for (const { permission, effect: one, reason, layer, rule } of requests) {
      await output.write(`${one.padEnd(5)} ${safeLine(permission.summary)}\n`);
      if (one !== "allow") {
        await output.write(`      ${safeLine(reason)} (${safeLine(layer)}, ${safeLine(rule)})\n`);
      }
    }
    return exitCodes[effect];
  } finally {
    await registry.close();
  }
}
