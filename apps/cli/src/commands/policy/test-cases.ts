import { readFileSync } from "node:fs";
import type {
  Caller,
  Explanation,
  JsonObject,
  PolicyEffect,
  PolicyRule,
  ToolExecutor,
} from "@toolweave/core";
import { checkOptions, checks, type OptionChecks } from "@toolweave/core/adapter";
import type { ToolOptions } from "../../input/tool-options.ts";
import type { CliIo } from "../../process/cli-io.ts";
import { exitCode, UsageError } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { describeError } from "../../render/describe-error.ts";
import { formatJson } from "../../render/json.ts";
import { formatCount, safeLine } from "../../render/text.ts";
import { planSources } from "../../sources/load-sources.ts";
import { createExecutor } from "../shared/executor.ts";
import { printPolicyWarnings } from "../shared/hints.ts";
import { parseJsonObject } from "../shared/json-file.ts";
import { cannotContinue } from "../shared/tool-lookup.ts";

/** The options of `toolweave policy test`. */
export interface PolicyTestOptions extends ToolOptions {
  readonly policy?: string;
  readonly requireCoverage?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** One case of a file: a call, and the decision that it must have. */
interface PolicyCase {
  /** Default: the tool and the caller. */
  readonly name?: string;
  readonly tool: string;
  /** Absent: the decision about the tool, whatever the arguments are. */
  readonly arguments?: JsonObject;
  readonly caller?: Caller;
  readonly expect: PolicyEffect;
  /** The rule that must decide: its id or place, with or without the policy before it. Default: any. */
  readonly rule?: string;
}

/** The result of a case. */
interface CaseResult {
  readonly name: string;
  readonly effect: PolicyEffect;
  /** The policy and the rule that decided; absent: the call cannot be made at all. */
  readonly rule?: string;
  /** Absent: the case holds. */
  readonly fault?: string;
}

const callerChecks: OptionChecks<Caller> = {
  id: checks.required(checks.filledText),
  roles: checks.list(checks.filledText),
  agent: checks.filledText,
};

const caseChecks: OptionChecks<PolicyCase> = {
  name: checks.filledText,
  tool: checks.required(checks.filledText),
  arguments: checks.object,
  caller: checks.nested(callerChecks),
  expect: checks.required(checks.oneOf("allow", "ask", "deny")),
  rule: checks.filledText,
};

/** `toolweave policy test`: compares the decisions about calls with those that a file expects. Nothing is called. */
export async function testPolicy(
  file: string,
  options: PolicyTestOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const cases = readCases(file);
  const { verbose = false, json = false, requireCoverage = false } = options;
  const plan = await planSources(options, io, output);
  const { registry, failures, policy } = await plan.load();
  try {
    for (const failure of failures) output.printMessage(describeError(failure, verbose));
    if (cannotContinue(plan, failures, undefined)) return exitCode.sourceFailed;
    // Without a store: what a person has granted is no part of the policy.
    const executor = createExecutor({ registry, policy });
    const warnings = printPolicyWarnings(executor, output);
    const results: CaseResult[] = [];
    for (const one of cases) results.push(await tryCase(executor, one));
    const uncovered = listRules(executor).filter(
      (rule) => !results.some((one) => one.rule === rule),
    );
    const failed = results.filter(({ fault }) => fault !== undefined);
    if (json) await output.write(formatJson({ cases: results, uncovered, warnings }, output));
    else {
      for (const { name, fault } of results) {
        const line = fault === undefined ? `ok      ${name}` : `FAILED  ${name}: ${fault}`;
        await output.write(`${safeLine(line)}\n`);
      }
      for (const rule of uncovered) await output.write(`${safeLine(`no case  ${rule}`)}\n`);
      await output.write(
        `${formatCount(results.length - failed.length, "case")} as expected, ${failed.length} not; ${formatCount(uncovered.length, "rule")} without a case\n`,
      );
    }
    const isIncomplete = requireCoverage && uncovered.length > 0;
    return failed.length > 0 || isIncomplete ? exitCode.toolError : exitCode.completed;
  } finally {
    await registry.close();
  }
}

function readCases(file: string): readonly PolicyCase[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${safeLine(file)} cannot be read: name a file with "cases".`, {
      cause: error,
    });
  }
  const { cases } = parseJsonObject(text, file);
  if (!Array.isArray(cases) || cases.length === 0) {
    throw new UsageError(
      `${safeLine(file)} has no list "cases", such as { "cases": [{ "tool": "add_pet", "expect": "ask" }] }.`,
    );
  }
  for (const [index, one] of cases.entries()) {
    try {
      checkOptions(`${file}: cases[${index}]`, one, caseChecks);
    } catch (error) {
      throw new UsageError(safeLine((error as Error).message), { cause: error });
    }
  }
  return cases as unknown as readonly PolicyCase[];
}

async function tryCase(executor: ToolExecutor, one: PolicyCase): Promise<CaseResult> {
  const { tool, arguments: args, caller, expect: expected, rule: wanted } = one;
  const explanation = await executor.explain(
    { name: tool, ...(args === undefined ? {} : { arguments: args }) },
    caller === undefined ? {} : { caller },
  );
  const { effect, problem } = explanation;
  const name = one.name ?? [tool, ...(caller === undefined ? [] : ["for", caller.id])].join(" ");
  const decision = findDeciding(explanation);
  const rule = decision === undefined ? {} : { rule: `${decision.layer} ${decision.rule}` };
  const fault =
    problem !== undefined && problem.code !== "not_advertised"
      ? problem.message
      : effect !== expected
        ? `${effect}, not ${expected}${decision === undefined ? "" : ` (${rule.rule}: ${decision.reason})`}`
        : wanted !== undefined && decision?.rule !== wanted && rule.rule !== wanted
          ? `decided by ${rule.rule}, not ${wanted}`
          : undefined;
  return { name, effect, ...rule, ...(fault === undefined ? {} : { fault }) };
}

/** The permission whose decision is that of the call. */
function findDeciding({
  requests,
  effect,
}: Explanation): Explanation["requests"][number] | undefined {
  return requests.find((request) => request.effect === effect) ?? requests[0];
}

/** The rules of all policies, as results name them. */
function listRules(executor: ToolExecutor): readonly string[] {
  return executor.policies.flatMap((layer) => {
    const data = layer.toJSON();
    const rules: readonly PolicyRule[] = typeof data === "object" ? (data.rules ?? []) : [];
    return rules.map(({ id }, index) => `${layer.name} ${id ?? `rules[${index}]`}`);
  });
}
