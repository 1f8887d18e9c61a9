import { ToolError, type PolicyEffect } from "@toolweave/core";
import { checks, type OptionChecks } from "@toolweave/core/adapter";
import type { AnalyzedCommand } from "./analysis.ts";
import { analyzeCommand } from "./analyze-command.ts";
import { getCommandForms, type CommandForms } from "./command-forms.ts";
import { programName } from "./unwrap.ts";

/** A decision about commands, by their words. */
export interface CommandRule {
  /**
   * The program and its arguments: a text is that word, a list is one of its words, `*` is any one word, and `...` at the
   * end is any further words. Without `...` the words have to be exactly these.
   */
  readonly command: readonly (string | readonly string[])[];
  /** If several rules match: deny before ask before allow. */
  readonly effect: PolicyEffect;
  /** For the person who is asked, and for the model when the command is denied. */
  readonly reason?: string;
  /**
   * The effect of a rule that denies or asks on a command that may run one which it matches, and on a script that is not
   * understood. Default: `ask`.
   */
  readonly unknown?: "ask" | "allow";
  /** Scripts with a command that the rule must match. Checked when the policy is made. */
  readonly match?: readonly string[];
  /** Scripts without a command that the rule may match. Checked when the policy is made. */
  readonly notMatch?: readonly string[];
}

const isWord = (word: unknown): boolean => typeof word === "string" && word !== "";
const isList = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(isItem);

export const ruleChecks: OptionChecks<CommandRule> = {
  command: checks.required(
    checks.valueThat(
      (value) => isList(value, (word) => isWord(word) || isList(word, isWord)),
      'a list of words, such as ["git", ["status", "diff"], "..."]',
    ),
  ),
  effect: checks.required(checks.oneOf("allow", "ask", "deny")),
  reason: checks.filledText,
  unknown: checks.oneOf("ask", "allow"),
  match: checks.list(checks.anyText),
  notMatch: checks.list(checks.anyText),
};

/** The part of a command that rules are about. */
export type RuledCommand = Pick<AnalyzedCommand, "argv" | "via">;

/** The decision of a rule. */
export type CommandDecision = Pick<CommandRule, "effect" | "reason">;

/** Programs that run others with other rights: what is allowed for a command is not allowed for it through them. */
const raising: ReadonlySet<string> = new Set(["sudo", "doas"]);

/** Rules over commands that were checked. */
export class CommandRules {
  readonly #rules: readonly CommandRule[];

  /**
   * @param rules rules that `ruleChecks` has accepted.
   * @throws ToolError `invalid_configuration` for a rule whose examples do not hold, or that allows any program.
   */
  constructor(rules: readonly CommandRule[]) {
    this.#rules = rules;
    for (const [index, rule] of rules.entries()) {
      const fault = findFault(rule);
      if (fault === undefined) continue;
      throw new ToolError("invalid_configuration", `workspacePolicy: rules[${index}] ${fault}.`);
    }
  }

  /** The strictest decision about a command; undefined: no rule matches it. */
  find(command: RuledCommand): CommandDecision | undefined {
    if (this.#rules.length === 0) return undefined;
    const { other, possible } = getCommandForms(command.argv);
    const matching = this.#rules.filter((rule) => matches(rule, command, other));
    const findBy = (effect: PolicyEffect): CommandDecision | undefined =>
      matching.find((rule) => rule.effect === effect);
    return findBy("deny") ?? findBy("ask") ?? this.#findPossible(possible) ?? findBy("allow");
  }

  /** The decision about a script of which a part is not known; undefined: no rule is against any command. */
  findUnknown(): CommandDecision | undefined {
    return this.#findPossible("any");
  }

  #findPossible(possible: CommandForms["possible"]): CommandDecision | undefined {
    const rule = this.#rules.find(
      (one) =>
        one.effect !== "allow" &&
        one.unknown !== "allow" &&
        (possible === "any" || possible.some((argv) => matchesWords(one, argv))),
    );
    return rule === undefined
      ? undefined
      : { effect: "ask", reason: rule.reason ?? "it may run a command that a rule is against" };
  }
}

function findFault(rule: CommandRule): string | undefined {
  const { command, effect, match = [], notMatch = [] } = rule;
  if (command.slice(0, -1).includes("...") || command[0] === "...")
    return 'has "..." not at its end';
  if (command[0] === "*" && effect === "allow") return "allows any program; name the programs";
  const isMatched = (script: string): boolean =>
    analyzeCommand(script).commands.some((one) =>
      matches(rule, one, getCommandForms(one.argv).other),
    );
  const missed = match.find((script) => !isMatched(script));
  if (missed !== undefined) return `does not match its example ${JSON.stringify(missed)}`;
  const wrong = notMatch.find(isMatched);
  return wrong === undefined ? undefined : `matches ${JSON.stringify(wrong)}, which it must not`;
}

function matches(
  rule: CommandRule,
  { argv, via }: RuledCommand,
  other: readonly (readonly string[])[],
): boolean {
  if (rule.effect !== "allow") return [argv, ...other].some((words) => matchesWords(rule, words));
  return !via.some((wrapper) => raising.has(wrapper)) && matchesWords(rule, argv);
}

function matchesWords({ command, effect }: CommandRule, argv: readonly string[]): boolean {
  const isOpen = command.at(-1) === "...";
  const words = isOpen ? command.slice(0, -1) : command;
  if (isOpen ? argv.length < words.length : argv.length !== words.length) return false;
  return words.every((word, index) => {
    const actual = argv[index] as string;
    const options = typeof word === "string" ? [word] : word;
    if (options.includes("*")) return true;
    return (
      options.includes(index === 0 ? ruledName(actual, effect) : actual) || options.includes(actual)
    );
  });
}

/**
 * The name of a program that a rule can be about. A program in another folder than those of the system can be another one
 * than its name says: rules that allow do not match it.
 */
function ruledName(path: string, effect: PolicyEffect): string {
  const isOfSystem = /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/.test(path);
  return effect !== "allow" || isOfSystem ? programName(path) : path;
}
