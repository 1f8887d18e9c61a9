import type { PolicyGlobs, PolicyRule } from "../contract/policy-definition.ts";
import type { RegisteredTool } from "../contract/tool.ts";
import { isToolName, nearNames } from "../contract/tool-names.ts";
import { CompiledRule } from "./compiled-rule.ts";
import { impossible, type Finding } from "./conditions/condition.ts";
import {
  findUnmatchedGlobs,
  formatCount,
  globTest,
  isForHelpers,
  listGlobs,
  placeGlobs,
} from "./conditions/globs.ts";
import { hasLocalTools } from "./conditions/tools.ts";
import { listConditions } from "./conditions/rule-conditions.ts";
import type { PolicyLayer } from "./decision.ts";

/** Something in a configuration that is valid and has no effect. */
export interface ConfigurationWarning {
  /** Its place in the options, as in errors: `policy.rules[0].tools[1]`. */
  readonly where: string;
  /** The problem and its correction, with the rule's id. */
  readonly message: string;
}

/**
 * The rules that can never match, each with its place: those whose conditions contradict each other or the form of the
 * values that they match, and, if tools are given, those that match none of them.
 *
 * @param entries all tools; empty: only the warnings that do not depend on tools.
 */
export function policyWarnings(
  layers: readonly PolicyLayer[],
  entries: readonly RegisteredTool[],
): readonly ConfigurationWarning[] {
  const sources = entries.map(({ source }) => source);
  return layers.flatMap((layer, index) => {
    const data = layer.toJSON();
    const place = placeOfLayer(layers, index);
    if (typeof data !== "object") {
      return sources.length === 0 || sources.some(globTest(layer.sources))
        ? []
        : unmatchedGlobs(`${place}.sources`, layer.sources, sources, "source");
    }
    return (data.rules ?? []).flatMap((rule, at) => {
      const where = `${place}.rules[${at}]`;
      const name = [rule.id, data.name].filter((part) => part !== undefined).join(" of ");
      const found = [
        ...listConditions(rule).flatMap(
          ({ condition, value }) => condition.findContradictions?.(value, rule) ?? [],
        ),
        ...(entries.length > 0 ? findUnmatchedTools(rule, entries) : []),
      ];
      return found.map(([member, message]) => ({
        where: where + member,
        message: name === "" ? message : `(${name}) ${message}`,
      }));
    });
  });
}

/**
 * The rules that deny or ask, and name a tool that does not exist while one of a similar name does: such a rule restricts
 * nothing, and the tool that was meant is called.
 *
 * @param has whether a tool of that name exists.
 * @param names of all tools; read only when a name does not exist.
 */
export function misspeltRestrictions(
  layers: readonly PolicyLayer[],
  has: (name: string) => boolean,
  names: () => Iterable<string>,
): readonly ConfigurationWarning[] {
  return layers.flatMap((layer, index) => {
    const data = layer.toJSON();
    if (typeof data !== "object") return [];
    const place = placeOfLayer(layers, index);
    return (data.rules ?? []).flatMap(({ effect, tools }, at) => {
      if (effect === "allow") return [];
      return placeGlobs(`${place}.rules[${at}].tools`, tools).flatMap(([where, name]) => {
        if (!isToolName(name) || has(name) || isForHelpers(name)) return [];
        const near = nearNames(name, names(), 3);
        const message = `names ${JSON.stringify(name)}, and there is no such tool: did you mean ${near.join(", ")}?`;
        return near.length === 0 ? [] : [{ where, message }];
      });
    });
  });
}

/** The place of a policy in the host's options: `policy[1]`, or `policy` for the only one that is about all tools. */
export function placeOfLayer(layers: readonly PolicyLayer[], index: number): string {
  const [first, ...others] = layers.filter(({ sources }) => sources === undefined);
  return others.length === 0 && layers[index] === first ? "policy" : `policy[${index}]`;
}

/** Globs of a list that fit none of some names, each with its place. */
export function unmatchedGlobs(
  where: string,
  globs: PolicyGlobs | undefined,
  names: readonly string[],
  noun: string,
): readonly ConfigurationWarning[] {
  return findUnmatchedGlobs(where, globs, names, noun).map(([where, message]) => ({
    where,
    message,
  }));
}

function findUnmatchedTools(
  rule: PolicyRule,
  entries: readonly RegisteredTool[],
): readonly Finding[] {
  const conditions = listConditions(rule);
  const found = conditions.flatMap(
    ({ condition, value }) => condition.findUnmatched?.(value, entries) ?? [],
  );
  if (found.length > 0) return found;
  const compiled = new CompiledRule(rule, "", "");
  const matching = entries.filter((entry) => compiled.ofTool(entry) !== impossible);
  if (matching.length > 0) {
    return conditions.flatMap(
      ({ condition, value }) => condition.findUnmatchedCalls?.(value, matching) ?? [],
    );
  }
  if (listGlobs(rule.tools).some(isForHelpers) || entries.some(hasLocalTools)) return [];
  const hints = conditions.flatMap(({ condition: { allowHint } }) =>
    rule.effect === "allow" && allowHint !== undefined ? [`; ${allowHint}`] : [],
  );
  const none =
    entries.length === 1
      ? "does not fit the only tool"
      : `fits none of the ${formatCount(entries.length, "tool")}`;
  return [["", `${none}: its conditions hold for no tool together${hints.join("")}`]];
}
