import { ToolError, type PolicyEffect } from "@toolweave/core";
import type { AnalyzedCommand } from "./analysis.ts";
import { analyzeCommand } from "./analyze-command.ts";

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
  /** Scripts with a command that the rule must match. Checked when the policy is made. */
  readonly match?: readonly string[];
  /** Scripts without a command that the rule may match. Checked when the policy is made. */
  readonly notMatch?: readonly string[];
}

/** The part of a command that rules are about. */
export type RuledCommand = Pick<AnalyzedCommand, "argv" | "via">;

/** Programs that run others with other rights: what is allowed for a command is not allowed for it through them. */
const raising: ReadonlySet<string> = new Set(["sudo", "doas"]);

/** Rules over commands that were checked. */
export class CommandRules {
  readonly #rules: readonly CommandRule[];

  /** @throws ToolError `invalid_configuration` for an invalid rule, or one whose examples do not hold. */
  constructor(rules: readonly CommandRule[]) {
    this.#rules = rules;
    for (const [index, rule] of rules.entries()) {
      const fault = findFault(rule);
      if (fault === undefined) continue;
      throw new ToolError("invalid_configuration", `workspacePolicy: rules[${index}] ${fault}.`);
    }
  }

  /** The strictest rule that matches a command; undefined: none does. */
  find(command: RuledCommand): CommandRule | undefined {
    const matching = this.#rules.filter((rule) => matches(rule, command));
    return (["deny", "ask", "allow"] as const)
      .map((effect) => matching.find((rule) => rule.effect === effect))
      .find((rule) => rule !== undefined);
  }
}

function findFault(rule: CommandRule): string | undefined {
  const { command, effect, match = [], notMatch = [] } = rule;
  const isWord = (word: unknown): boolean => typeof word === "string" && word !== "";
  if (
    !Array.isArray(command) ||
    command.length === 0 ||
    !command.every((word: unknown) =>
      Array.isArray(word) ? word.length > 0 && word.every(isWord) : isWord(word),
    )
  ) {
    return 'needs a command, such as ["git", ["status", "diff"], "..."]';
  }
  if (command.slice(0, -1).includes("...") || command[0] === "...")
    return 'has "..." not at its end';
  if (!["allow", "ask", "deny"].includes(effect)) return "needs the effect allow, ask or deny";
  if (command[0] === "*" && effect === "allow") return "allows any program; name the programs";
  const isMatched = (script: string): boolean =>
    analyzeCommand(script).commands.some((one) => matches(rule, one));
  const missed = match.find((script) => !isMatched(script));
  if (missed !== undefined) return `does not match its example ${JSON.stringify(missed)}`;
  const wrong = notMatch.find(isMatched);
  return wrong === undefined ? undefined : `matches ${JSON.stringify(wrong)}, which it must not`;
}

function matches({ command, effect }: CommandRule, { argv, via }: RuledCommand): boolean {
  if (effect === "allow" && via.some((wrapper) => raising.has(wrapper))) return false;
  const isOpen = command.at(-1) === "...";
  const words = isOpen ? command.slice(0, -1) : command;
  if (isOpen ? argv.length < words.length : argv.length !== words.length) return false;
  return words.every((word, index) => {
    const actual = argv[index] as string;
    const options = typeof word === "string" ? [word] : word;
    if (options.includes("*")) return true;
    return (
      options.includes(index === 0 ? programName(actual, effect) : actual) ||
      options.includes(actual)
    );
  });
}

/**
 * The name of a program that a rule can be about. A program in another folder than those of the system can be another one
 * than its name says: rules that allow do not match it.
 */
function programName(path: string, effect: PolicyEffect): string {
  const isOfSystem = /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/.test(path);
  return effect !== "allow" || isOfSystem ? path.slice(path.lastIndexOf("/") + 1) : path;
}
