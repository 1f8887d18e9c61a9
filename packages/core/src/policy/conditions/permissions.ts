import {
  permissionKinds,
  type PermissionCondition,
  type PolicyRule,
  type PolicyEffect,
} from "../../contract/policy-definition.ts";
import type { RegisteredTool } from "../../contract/tool.ts";
import { globMatcher } from "../../text/glob.ts";
import { checkCondition, checkGlobs, checkWord, nearest } from "./check-values.ts";
import {
  certain,
  impossible,
  possible,
  unclear,
  type ConditionOf,
  type Finding,
} from "./condition.ts";
import { formatCount, globTest, listGlobs, placeGlobs } from "./globs.ts";

/** The permissions that a call asks for, in place of the call itself. */
export const permissionsCondition: ConditionOf<"permission", PermissionCondition> = {
  subject: "permission",

  check(where, given) {
    checkCondition(where, given, ["kind", "target", "unknown"]);
    const { kind, target, unknown } = given as Record<keyof PermissionCondition, unknown>;
    if (kind !== undefined) checkGlobs(`${where}.kind`, kind, kindFault);
    if (target !== undefined) checkGlobs(`${where}.target`, target);
    if (unknown !== undefined) checkWord(`${where}.unknown`, unknown, ["ask", "allow"]);
  },

  compile({ kind: kindGlobs, target: targetGlobs, unknown }) {
    const matchesKind = globTest(kindGlobs);
    const matchesTarget = globTest(targetGlobs);
    return (permission) => {
      const { kind, target }: { kind: unknown; target: unknown } = permission;
      // A permission is only as well-formed as the tool that proposes it.
      if (typeof kind !== "string" || typeof target !== "string") return possible;
      if (!matchesKind(kind)) return impossible;
      // `drafts/../letters` begins like a draft: which globs match such a path is undecidable.
      if (targetGlobs !== undefined && kind.startsWith("fs.") && windingPath.test(target)) {
        return possible;
      }
      if (matchesTarget(target)) return certain;
      // A rule that is written for an address is for it with any query, too, unless it allows.
      const query = kind === "network" ? target.indexOf("?") : -1;
      if (query !== -1 && matchesTarget(target.slice(0, query))) return possible;
      if (permission.otherTargets?.some(matchesTarget) === true) return possible;
      const { possibleTargets } = permission;
      if (possibleTargets === undefined || unknown === "allow") return impossible;
      const isUnclear = possibleTargets === "any" || possibleTargets.some(matchesTarget);
      return isUnclear ? unclear : impossible;
    };
  },

  findContradictions({ kind, target, unknown }, rule) {
    const kinds = listGlobs(kind);
    const found: Finding[] = [];
    if (unknown !== undefined && rule.effect === "allow") {
      found.push([
        ".permissions.unknown",
        "has no effect: an action that is not known is never allowed by a rule with a target",
      ]);
    }
    for (const [member, glob] of placeGlobs(".permissions.kind", kind)) {
      if (glob !== "custom.call") continue;
      found.push([
        member,
        "never matches: custom.call stands for a call whose tool proposes nothing, which no rule for permissions is about; write tools in place of permissions",
      ]);
    }
    for (const [member, glob] of placeGlobs(".permissions.target", target)) {
      const fault = targetFault(kinds, glob, rule.effect);
      if (fault === undefined) continue;
      found.push([member, `${JSON.stringify(glob)} never matches: ${fault}`]);
    }
    if (isExcludedByAccess(kinds, rule)) {
      found.push([
        ".annotations.access",
        `contradicts permissions.kind: a tool without this access proposes no ${kinds.join(", ")}`,
      ]);
    }
    return found;
  },

  findUnmatchedCalls({ target }, entries) {
    const proposing = entries.filter(({ tool }) => tool.preflight !== undefined);
    if (proposing.length > 0) return findUnmatchedMethods(target, proposing);
    return [
      [
        ".permissions",
        `never matches: none of the ${formatCount(entries.length, "tool")} that the rule is for proposes permissions, as reads of documents and tools of MCP servers do not; write tools, provenance or annotations in place of permissions`,
      ],
    ];
  },
};

function kindFault(glob: string): string | undefined {
  const [literal = ""] = glob.split(/[*?]/, 1);
  const isCustom =
    literal === glob
      ? glob.startsWith("custom.")
      : literal.startsWith("custom.") || "custom.".startsWith(literal);
  if (isCustom || permissionKinds.some(globMatcher([glob]))) return undefined;
  return `no permission is of that kind: ${nearest(glob, [...permissionKinds, "custom.…"])}`;
}

/** Returns true if the rule is for tools without the access that permissions of these kinds need. */
function isExcludedByAccess(kinds: readonly string[], { annotations }: PolicyRule): boolean {
  const access = annotations?.access;
  const isOnly = (...only: readonly string[]): boolean =>
    kinds.length > 0 && kinds.every((kind) => only.includes(kind));
  return (
    (access?.network === false && isOnly("network")) ||
    (access?.process === false && isOnly("process")) ||
    (access?.spend === false && isOnly("spend")) ||
    (access?.filesystem !== undefined &&
      listGlobs(access.filesystem).every((mode) => mode === "none") &&
      isOnly("fs.read", "fs.write", "fs.*"))
  );
}

/**
 * The permission that an operation of a document proposes begins with the method, and only operations that may change
 * something propose one.
 */
function findUnmatchedMethods(
  target: PermissionCondition["target"],
  proposing: readonly RegisteredTool[],
): Finding[] {
  const methods = proposing.map(({ tool: { spec } }) => spec.provenance.origin?.["method"]);
  const isOfDocuments = proposing.every(
    ({ tool }, index) =>
      tool.spec.provenance.adapter === "openapi" && typeof methods[index] === "string",
  );
  if (!isOfDocuments) return [];
  return placeGlobs(".permissions.target", target).flatMap(([member, glob]): Finding[] => {
    const quoted = JSON.stringify(glob);
    if (/^[a-z][a-z\d+.-]*:\/\//.test(glob)) {
      return [
        [
          member,
          `${quoted} never matches: the target of a request begins with its method; write "* ${glob}"`,
        ],
      ];
    }
    const method = /^([A-Z]+) /.exec(glob)?.[1];
    if (method === undefined || methods.includes(method)) return [];
    return [
      [
        member,
        `${quoted} never matches: no ${method} request proposes permissions, as reads do not; write tools or provenance in place of permissions`,
      ],
    ];
  });
}

/**
 * Why a glob over targets can match no permission of some kinds; `undefined`: it may match one. Only the text before
 * the first wildcard is checked.
 *
 * @param kinds globs over kinds; empty: any kind.
 */
function targetFault(
  kinds: readonly string[],
  target: string,
  effect: PolicyEffect,
): string | undefined {
  if (kinds.length === 0) return undefined;
  const isMeant = globMatcher(kinds);
  const meant = permissionKinds.filter(isMeant);
  // A tool's own kinds have targets of any form.
  const isCustom = kinds.some((kind) => /^(?:\*|\?|custom|c[*?])/.test(kind));
  if (isCustom || meant.length === 0) return undefined;
  const faults = meant.map((kind) => forms[kind]?.(target, effect));
  return faults.every((fault) => fault !== undefined) ? faults[0] : undefined;
}

type FormFault = (target: string, effect: PolicyEffect) => string | undefined;

const forms: Readonly<Record<string, FormFault | undefined>> = {
  network: networkFault,
  delegate: (target) =>
    /^[\w*?-]+$/.test(target) ? undefined : "the target is the name of the agent's tool",
  "fs.read": pathFault,
  "fs.write": pathFault,
};

const requestForm =
  'the target is METHOD URL, as "DELETE https://api.example.com/pets/*", or an origin, as "https://example.com"';

function networkFault(target: string): string | undefined {
  const [literal = ""] = target.split(/[*?]/, 1);
  const isOpen = literal.length < target.length;
  const [, method = "", address = ""] = /^([A-Z][A-Z-]* ?)?(.*)$/s.exec(literal) as RegExpExecArray;
  if (method !== "" && !method.endsWith(" ")) {
    return address === "" && isOpen ? undefined : requestForm;
  }
  if (address === "" || /^[a-z][a-z\d+.-]*(?::\/?)?$/.test(address)) {
    return isOpen ? undefined : requestForm;
  }
  const authority = /^([a-z][a-z\d+.-]*):\/\/([^/]*)/.exec(address);
  if (authority === null || /[\s#]/.test(address)) return requestForm;
  const [, scheme, host = ""] = authority;
  if (host === "" && !isOpen) return requestForm;
  if (/[A-Z]/.test(host)) return `hosts are in lower case: write ${host.toLowerCase()}`;
  const isWhole = address.length > (authority[0] as string).length || !isOpen;
  const usual = scheme === "https" ? ":443" : scheme === "http" ? ":80" : undefined;
  return usual !== undefined && isWhole && host.endsWith(usual)
    ? `the usual port is left out: write ${host.slice(0, -usual.length)}`
    : undefined;
}

/** A path with a part that is `.`, `..` or empty, and so may lead elsewhere than it seems. */
const windingPath: RegExp = /(?:^|[\\/])\.{1,2}(?:[\\/]|$)|[\\/]{2}/;

function pathFault(target: string, effect: PolicyEffect): string | undefined {
  if (effect !== "allow" || !windingPath.test(target)) return undefined;
  return "a path with a part that is ., .. or empty is never allowed by its target; write it in its plain form";
}
