import { helperNames, nearNames } from "../contract/tool-names.ts";
import { globMatcher } from "../text/glob.ts";
import type { RegisteredTool } from "../contract/tool.ts";
import { CompiledRule, impossible } from "./compiled-rule.ts";
import type { PolicyLayer } from "./decision.ts";
import type { PolicyGlobs, PolicyRule } from "../contract/policy-definition.ts";
import { targetFault } from "./target-form.ts";

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
  return layers.flatMap((layer, index) => {
    const data = layer.toJSON();
    if (typeof data !== "object") return [];
    const place = layers.length === 1 ? "policy" : `policy[${index}]`;
    return (data.rules ?? []).flatMap((rule, at) => {
      const where = `${place}.rules[${at}]`;
      const name = [rule.id, data.name].filter((part) => part !== undefined).join(" of ");
      const found = [
        ...staticWarnings(rule),
        ...(entries.length > 0 ? toolWarnings(rule, entries) : []),
      ];
      return found.map(([member, message]) => ({
        where: where + member,
        message: name === "" ? message : `(${name}) ${message}`,
      }));
    });
  });
}

/** Globs of a list that fit none of some names, each with its place. */
export function unmatchedGlobs(
  where: string,
  globs: PolicyGlobs | undefined,
  names: readonly string[],
  noun: string,
): readonly ConfigurationWarning[] {
  return unmatched(where, globs, names, noun).map(([where, message]) => ({ where, message }));
}

type Found = readonly [member: string, message: string];

function staticWarnings({ effect, permissions, annotations }: PolicyRule): Found[] {
  if (permissions === undefined) return [];
  const found: Found[] = [];
  const kinds = listOf(permissions.kind);
  for (const [member, kind] of places(".permissions.kind", permissions.kind)) {
    if (kind === "custom.call") {
      found.push([
        member,
        "never matches: custom.call stands for a call whose tool proposes nothing, which no rule for permissions is about; write tools in place of permissions",
      ]);
    }
  }
  for (const [member, target] of places(".permissions.target", permissions.target)) {
    const fault = targetFault(kinds, target, effect);
    if (fault !== undefined)
      found.push([member, `${JSON.stringify(target)} never matches: ${fault}`]);
  }
  const access = annotations?.access;
  const isOnly = (...only: readonly string[]): boolean =>
    kinds.length > 0 && kinds.every((kind) => only.some((one) => kind === one));
  const contradicted =
    (access?.network === false && isOnly("network")) ||
    (access?.process === false && isOnly("process")) ||
    (access?.spend === false && isOnly("spend")) ||
    (listOf(access?.filesystem).every((mode) => mode === "none") &&
      access?.filesystem !== undefined &&
      isOnly("fs.read", "fs.write", "fs.*"));
  if (contradicted) {
    found.push([
      ".annotations.access",
      `contradicts permissions.kind: a tool without this access proposes no ${kinds.join(", ")}`,
    ]);
  }
  return found;
}

function toolWarnings(rule: PolicyRule, entries: readonly RegisteredTool[]): Found[] {
  const { tools, provenance, permissions, effect } = rule;
  const names = entries.map(({ tool }) => tool.spec.name);
  const found = unmatched(".tools", tools, names, "tool");
  const from = (part: (entry: RegisteredTool) => unknown): string[] =>
    entries.map(part).filter((value) => typeof value === "string");
  const of = entries.map(({ tool }) => tool.spec.provenance);
  found.push(
    ...unmatched(
      ".provenance.adapter",
      provenance?.adapter,
      of.map(({ adapter }) => adapter),
      "adapter",
    ),
    ...unmatched(
      ".provenance.source",
      provenance?.source,
      [...from(({ source }) => source), ...from(({ tool }) => tool.spec.provenance.source)],
      "source",
    ),
  );
  for (const [member, globs] of Object.entries(provenance?.origin ?? {})) {
    const values = from(({ tool }) => tool.spec.provenance.origin?.[member]);
    found.push(...unmatched(`.provenance.origin.${member}`, globs, values, member));
  }
  if (found.length > 0) return found;
  const compiled = new CompiledRule(rule, "", "");
  const matching = entries.filter((entry) => compiled.ofTool(entry) !== impossible);
  if (matching.length === 0) {
    if (listOf(tools).some(isForHelpers)) return [];
    const trust =
      effect === "allow" && rule.annotations !== undefined
        ? "; an allow believes the annotations of trusted sources alone"
        : "";
    return [
      [
        "",
        `fits none of the ${count(entries.length, "tool")}: its conditions hold for no tool together${trust}`,
      ],
    ];
  }
  if (permissions === undefined) return [];
  const proposing = matching.filter(({ tool }) => tool.preflight !== undefined);
  if (proposing.length === 0) {
    return [
      [
        ".permissions",
        `never matches: none of the ${count(matching.length, "tool")} that the rule is for proposes permissions, as reads of documents and tools of MCP servers do not; write tools, provenance or annotations in place of permissions`,
      ],
    ];
  }
  return methodWarnings(rule, proposing);
}

/**
 * The permission that an operation of a document proposes begins with the method, and only operations that may change
 * something propose one.
 */
function methodWarnings(
  { permissions }: PolicyRule,
  proposing: readonly RegisteredTool[],
): Found[] {
  const methods = proposing.map(({ tool: { spec } }) => spec.provenance.origin?.["method"]);
  const isOfDocuments = proposing.every(
    ({ tool }, index) =>
      tool.spec.provenance.adapter === "openapi" && typeof methods[index] === "string",
  );
  if (!isOfDocuments) return [];
  return places(".permissions.target", permissions?.target).flatMap(([member, target]): Found[] => {
    if (/^[a-z][a-z\d+.-]*:\/\//.test(target)) {
      return [
        [
          member,
          `${JSON.stringify(target)} never matches: the target of a request begins with its method; write "* ${target}"`,
        ],
      ];
    }
    const method = /^([A-Z]+) /.exec(target)?.[1];
    if (method === undefined || methods.includes(method)) return [];
    return [
      [
        member,
        `${JSON.stringify(target)} never matches: no ${method} request proposes permissions, as reads do not; write tools or provenance in place of permissions`,
      ],
    ];
  });
}

function unmatched(
  where: string,
  globs: PolicyGlobs | undefined,
  values: readonly string[],
  noun: string,
): Found[] {
  const names = [...new Set(values)];
  return places(where, globs).flatMap(([member, glob]): Found[] => {
    if (names.some(globMatcher([glob])) || isForHelpers(glob)) return [];
    const near = nearGlobs(glob, names);
    const hint = near.length === 0 ? "" : `; did you mean ${near.join(", ")}?`;
    return [
      [member, `${JSON.stringify(glob)} matches none of the ${count(names.length, noun)}${hint}`],
    ];
  });
}

/** The names that begin, or are, much as a glob does up to its first star. */
function nearGlobs(glob: string, names: readonly string[]): readonly string[] {
  const [stem = "", ...rest] = glob.split("*");
  if (rest.length === 0) return nearNames(glob, names, 3);
  if (stem.length < 3) return [];
  const beginnings = new Map(names.map((name) => [name, name.slice(0, stem.length + 1)]));
  const near = nearNames(stem, new Set(beginnings.values()), 3);
  return [...beginnings.keys()]
    .filter((name) => near.includes(beginnings.get(name) as string))
    .slice(0, 3);
}

/** Each glob with its place: a list's have an index. */
function places(
  where: string,
  globs: PolicyGlobs | undefined,
): readonly (readonly [string, string])[] {
  if (globs === undefined) return [];
  if (typeof globs === "string") return [[where, globs]];
  return globs.map((glob, index) => [`${where}[${index}]`, glob]);
}

/**
 * A registry does not contain the built-in tools, nor the names under which a policy decides about the resources,
 * prompts and completion of a gateway.
 */
function isForHelpers(glob: string): boolean {
  return (
    /(?:^|__|[*?])(?:read_resource|get_prompt|complete)$/.test(glob) ||
    [...helperNames].some(globMatcher([glob]))
  );
}

function listOf(globs: PolicyGlobs | undefined): readonly string[] {
  return globs === undefined ? [] : typeof globs === "string" ? [globs] : globs;
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}
