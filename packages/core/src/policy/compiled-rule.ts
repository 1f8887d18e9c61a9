import { globMatcher } from "../text/glob.ts";
import type { RegisteredTool } from "../contract/tool.ts";
import type { Caller } from "../contract/caller.ts";
import type {
  PermissionRequest,
  AnnotationCondition,
  CallerCondition,
  PermissionCondition,
  PolicyGlobs,
  PolicyRule,
  ProvenanceCondition,
} from "../contract/policy-definition.ts";
import type { ToolAccess, ToolAnnotations } from "../contract/tool-spec.ts";
import type { Decision } from "./decision.ts";

/**
 * The certainty with which a rule matches. A match that depends on untrusted claims, or on a caller that was not given,
 * is at most possible: that is enough to ask or deny, not to allow, and not to replace the policy's default (an `ask`
 * that displaced a `deny` would loosen).
 */
export type Certainty = typeof impossible | typeof possible | typeof certain;
/** It does not match. */
export const impossible = 0;
/** It may match. */
const possible = 1;
/** It matches. */
export const certain = 2;

type Test<Subject> = (subject: Subject) => Certainty;

/** A rule whose conditions have become tests. */
export class CompiledRule {
  readonly decision: Decision;
  /** The same where the rule applies for want of a caller. */
  readonly withoutCaller: Decision;
  /** It is for permissions, not for calls. */
  readonly forPermissions: boolean;
  readonly forCallers: boolean;
  readonly #tool: readonly Test<RegisteredTool>[];
  readonly #permission: Test<PermissionRequest> | undefined;
  readonly #caller: Test<Caller> | undefined;

  /** @param rule checked. */
  constructor(rule: PolicyRule, place: string, layer: string) {
    const { id, effect, ask, reason } = rule;
    const name = id ?? place;
    const decided = { effect, ...(ask === undefined ? {} : { ask }), rule: name, layer };
    const why = reason ?? `${layer}: ${name} ${verbs[effect]}`;
    this.decision = Object.freeze({ ...decided, reason: why });
    this.withoutCaller = Object.freeze({ ...decided, reason: `${why} (the call has no caller)` });
    this.#tool = toolTests(rule);
    this.#permission = rule.permissions && permissionTest(rule.permissions);
    this.#caller = rule.callers && callerTest(rule.callers);
    this.forPermissions = this.#permission !== undefined;
    this.forCallers = this.#caller !== undefined;
  }

  /** Whether the rule is for a tool, as far as the tool alone determines it. */
  ofTool(entry: RegisteredTool): Certainty {
    let least: Certainty = certain;
    for (const test of this.#tool) {
      const certainty = test(entry);
      if (certainty === impossible) return impossible;
      if (certainty < least) least = certainty;
    }
    return this.#enough(least);
  }

  /** Whether it is for what a caller does. */
  ofCaller(caller: Caller | undefined): Certainty {
    if (this.#caller === undefined) return certain;
    return this.#enough(caller === undefined ? possible : this.#caller(caller));
  }

  /** Whether it is for a permission, or for the call itself. */
  ofPermission(permission: PermissionRequest | undefined): Certainty {
    if (this.#permission === undefined) return certain;
    return permission === undefined ? impossible : this.#enough(this.#permission(permission));
  }

  #enough(certainty: Certainty): Certainty {
    return certainty === possible && this.decision.effect === "allow" ? impossible : certainty;
  }
}

const verbs = { allow: "allows it", ask: "asks first", deny: "denies it" } as const;

function toolTests({ tools, provenance, annotations }: PolicyRule): Test<RegisteredTool>[] {
  const tests: Test<RegisteredTool>[] = [];
  if (tools !== undefined) {
    const named = matcher(tools);
    tests.push(({ tool }) => (named(tool.spec.name) ? certain : impossible));
  }
  if (provenance !== undefined) tests.push(provenanceTest(provenance));
  if (annotations !== undefined) tests.push(annotationTest(annotations));
  return tests;
}

function provenanceTest({ adapter, source, origin }: ProvenanceCondition): Test<RegisteredTool> {
  const ofAdapter = matcher(adapter);
  const ofSource = matcher(source);
  const ofOrigin = Object.entries(origin ?? {}).map(
    ([member, globs]) => [member, matcher(globs)] as const,
  );
  return ({ tool, source: registered, trusted }) => {
    const from = tool.spec.provenance;
    if (!ofAdapter(from.adapter)) return impossible;
    const known = ofSource(registered);
    if (!known && !ofSource(from.source)) return impossible;
    for (const [member, matches] of ofOrigin) {
      if (!matches(from.origin?.[member])) return impossible;
    }
    return known && (trusted || ofOrigin.length === 0) ? certain : possible;
  };
}

type HintName = Exclude<keyof AnnotationCondition, "access">;

/** MCP's defaults, and no approval. */
const hintDefaults: Readonly<Record<HintName, boolean>> = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
  needsApprovalHint: false,
};

/** The annotations that a rule can match, beside `access`. */
export const hintNames: readonly string[] = Object.keys(hintDefaults);

function annotationTest({ access, ...hints }: AnnotationCondition): Test<RegisteredTool> {
  const wantedHints = Object.entries(hints) as [HintName, boolean][];
  const reached = Object.entries(access ?? {}) as [keyof ToolAccess, unknown][];
  return ({ tool, trusted }) => {
    const { annotations } = tool.spec;
    let least: Certainty = certain;
    for (const [name, wanted] of wantedHints) {
      const certainty = hintTest(annotations, name, wanted, trusted);
      if (certainty === impossible) return impossible;
      if (certainty < least) least = certainty;
    }
    if (reached.length === 0) return least;
    if (!trusted) return possible;
    for (const [name, wanted] of reached) {
      const declared: unknown = annotations.access?.[name];
      if (Array.isArray(wanted) ? !wanted.includes(declared) : declared !== wanted) {
        return impossible;
      }
    }
    return least;
  };
}

function hintTest(
  annotations: ToolAnnotations,
  name: HintName,
  wanted: boolean,
  trusted: boolean,
): Certainty {
  const byDefault = hintDefaults[name];
  const given: unknown = annotations[name];
  // A value that is neither true nor false, such as "true", may mean either.
  if (given !== undefined && given !== null && typeof given !== "boolean") return possible;
  const claimed = given ?? byDefault;
  if (trusted || claimed === byDefault) return claimed === wanted ? certain : impossible;
  // Only one of the two matches: an untrusted claim against the default.
  return possible;
}

function permissionTest({ kind, target: globs }: PermissionCondition): Test<PermissionRequest> {
  const ofKind = matcher(kind);
  const ofTarget = matcher(globs);
  return (permission) => {
    const { kind, target }: { kind: unknown; target: unknown } = permission;
    // A permission is only as well-formed as the tool that proposes it.
    if (typeof kind !== "string" || typeof target !== "string") return possible;
    if (!ofKind(kind)) return impossible;
    // `drafts/../letters` begins like a draft: which globs match such a path is undecidable.
    if (globs !== undefined && kind.startsWith("fs.") && windingPath.test(target)) return possible;
    if (ofTarget(target)) return certain;
    // A rule that is written for an address is for it with any query, too, unless it allows.
    const query = kind === "network" ? target.indexOf("?") : -1;
    return query !== -1 && ofTarget(target.slice(0, query)) ? possible : impossible;
  };
}

/** A path with a part that is `.`, `..` or empty, and so may lead elsewhere than it seems. */
const windingPath = /(?:^|[\\/])\.{1,2}(?:[\\/]|$)|[\\/]{2}/;

function callerTest({ id, roles, agent }: CallerCondition): Test<Caller> {
  const ofId = matcher(id);
  const ofRole = matcher(roles);
  const ofAgent = matcher(agent);
  return (caller) =>
    ofId(caller.id) &&
    (roles === undefined || (caller.roles?.some(ofRole) ?? false)) &&
    ofAgent(caller.agent)
      ? certain
      : impossible;
}

/** Without globs everything passes, what is not there too. */
function matcher(globs: PolicyGlobs | undefined): (value: unknown) => boolean {
  if (globs === undefined) return () => true;
  const matches = globMatcher(typeof globs === "string" ? [globs] : globs);
  return (value) => typeof value === "string" && matches(value);
}
