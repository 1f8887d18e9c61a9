import { checkOptions, checks, isObject, type OptionChecks } from "@toolweave/core/adapter";
import type { PermissionRequest, PolicyAnswer, SourcePolicy } from "@toolweave/core";
import type { Risk } from "./analysis.ts";
import {
  CommandRules,
  ruleChecks,
  type CommandDecision,
  type CommandRule,
} from "./command-rules.ts";

/** Options of `workspacePolicy`. */
export interface WorkspacePolicyOptions {
  /**
   * Calls up to this risk run without approval. `low`: commands that only read, in the workspace; `medium`: also changes
   * of its files, and programs that build and test the project; `high`: every script that is understood, and its
   * connections. Default: `low`.
   */
  readonly maxRisk?: "none" | Risk;
  /**
   * In a sandbox that isolates them (`bwrap`), all commands run without approval, also scripts that are not understood:
   * nothing outside of the workspace can be read, changed or reached. Default: false.
   */
  readonly allowSandboxed?: boolean;
  /** Decisions about commands by their words. They come before the risk. Default: none. */
  readonly rules?: readonly CommandRule[];
}

const optionChecks: OptionChecks<WorkspacePolicyOptions> = {
  maxRisk: checks.oneOf("none", "low", "medium", "high"),
  allowSandboxed: checks.flag,
  rules: checks.list(checks.nested(ruleChecks)),
};

const order: Readonly<Record<string, number>> = { none: 0, low: 1, medium: 2, high: 3 };

/**
 * A policy for the tools of workspaces, before all other policies of an executor. Commands that only read in the workspace
 * run at once. A command that reads elsewhere asks. Everything else is decided by the policies behind it, as if it were
 * absent; without any, by the preset `supervised`, which asks.
 *
 * @returns a policy for every source: it knows the tools of a workspace by the facts in their permissions.
 * @throws ToolError `invalid_configuration` for an invalid rule, or one whose examples do not hold.
 * @example
 * ```ts
 * const executor = new ToolExecutor({ registry, policy: workspacePolicy() });
 * ```
 */
export function workspacePolicy(options: WorkspacePolicyOptions = {}): SourcePolicy {
  checkOptions("workspacePolicy", options, optionChecks);
  const { maxRisk = "low", allowSandboxed = false } = options;
  const rules = new CommandRules(options.rules ?? []);
  const limit = order[maxRisk] ?? 0;
  const allowsWrites = limit >= 2;
  const decide: SourcePolicy["decide"] = ({ permission, trusted }): PolicyAnswer => {
    // The facts are a part of the permission, and only a source that is trusted is believed.
    if (!trusted || permission === undefined || !isObject(permission.details)) return undefined;
    const { isKnown, risk, sandbox, isIsolated, place } = permission.details;
    // Files for which the rules of the workspace ask are not a question of commands.
    if (permission.kind.startsWith("custom.")) return undefined;
    const rule = ruleFor(rules, permission);
    if (rule !== undefined) {
      return {
        effect: rule.effect,
        reason: rule.reason ?? `a rule for commands ${verbs[rule.effect]}`,
      };
    }
    if (allowSandboxed && isIsolated === true) return allowed("the command runs in a sandbox");
    switch (permission.kind) {
      case "process": {
        if (isKnown !== true || typeof risk !== "string") return undefined;
        return (order[risk] ?? 3) <= limit ? allowed(`the command has a ${risk} risk`) : undefined;
      }
      case "fs.read":
        if (place === "inside" || place === undefined) return undefined;
        return { effect: "ask", reason: "the command reads outside of the workspace" };
      case "fs.write":
        return place === "inside" && allowsWrites
          ? allowed("the file is in the workspace")
          : undefined;
      case "network":
        return limit >= 3 && typeof sandbox === "string"
          ? allowed("connections are allowed")
          : undefined;
      default:
        return undefined;
    }
  };
  return { name: "workspace", sources: "*", decide };
}

const verbs = { allow: "allows it", ask: "asks first", deny: "denies it" } as const;

function ruleFor(
  rules: CommandRules,
  { kind, details }: PermissionRequest,
): CommandDecision | undefined {
  if (kind !== "process" || !isObject(details)) return undefined;
  const { argv, via, linked, isKnown } = details;
  if (isKnown === false) return rules.findUnknown();
  if (!Array.isArray(argv) || !Array.isArray(via)) return undefined;
  const find = (words: readonly unknown[]): CommandDecision | undefined =>
    rules.find({ argv: words as readonly string[], via: via as readonly string[] });
  const own = find(argv);
  const other = Array.isArray(linked) ? find(linked) : undefined;
  // A link to a program is not allowed as that program, but it is refused as it.
  const isStricter =
    other?.effect === "deny" || (other?.effect === "ask" && own?.effect !== "deny");
  return isStricter ? other : own;
}

function allowed(reason: string): PolicyAnswer {
  return { effect: "allow", reason };
}
