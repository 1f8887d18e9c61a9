import type { Caller } from "./caller.ts";
import type { Awaitable, JsonObject, JsonValue } from "../json/json.ts";
import type { ToolAccess, ToolSpec } from "./tool-spec.ts";

/**
 * The decision for calls that no rule matches. `supervised` (the default): reads and the host's own functions run
 * unless marked destructive or needing approval, the rest asks. `readOnly`: only tools that change nothing run.
 * `autonomous`: everything runs. `strict`: unclassified, destructive and spending tools are denied, everything but
 * reads asks.
 */
export type PolicyPreset = "readOnly" | "supervised" | "autonomous" | "strict";

/** The decision about a call: it runs, a person is asked first, or it is denied. */
export type PolicyEffect = "allow" | "ask" | "deny";

/** One glob or several, of which one has to match: `*` is any run of characters, `?` is one. */
export type PolicyGlobs = string | readonly string[];

/** Where a tool came from. Every key that is there has to hold. */
export interface ProvenanceCondition {
  /** `code`, `openapi`, `mcp`, … */
  readonly adapter?: PolicyGlobs;
  /**
   * The id of the source in the registry; `host` for tools that host code added itself. A rule that asks or denies also
   * matches the source that the tool names in its provenance.
   */
  readonly source?: PolicyGlobs;
  /**
   * The tool's origin in its source, by member: `{ method: "DELETE", path: "/admin/*" }`. It is data from outside: an
   * `allow` believes it of trusted tools only.
   */
  readonly origin?: Readonly<Record<string, PolicyGlobs>>;
}

/**
 * The tool's claims about its effects. Every given key must match; a hint that the tool does not give has MCP's
 * default, so that a tool which only says that it reads counts as destructive too.
 *
 * Hints are claims. What an untrusted tool claims never loosens a decision: an `allow` applies when both the claim and
 * the default match, `ask` and `deny` apply when either matches.
 */
export interface AnnotationCondition {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
  readonly needsApprovalHint?: boolean;
  /**
   * The resources that the tool accesses. There are no defaults: a trusted tool accesses what it declares, and an
   * untrusted one may access everything, so that `ask` and `deny` apply to it and `allow` never does.
   */
  readonly access?: {
    readonly filesystem?: AccessMode | readonly AccessMode[];
    readonly process?: boolean;
    readonly network?: boolean;
    readonly spend?: boolean;
  };
}

type AccessMode = NonNullable<ToolAccess["filesystem"]>;

/** The action that a call intends. Every given key must match. */
export interface PermissionCondition {
  /** `process`, `fs.read`, `fs.write`, `network`, `spend`, `delegate`, `mcp` or `custom.…`. */
  readonly kind?: PolicyGlobs;
  /** A path, an origin, a command, an amount: the text that the tool writes, in which `*` matches `/` too. */
  readonly target?: PolicyGlobs;
  /**
   * The effect of a rule that denies or asks on an action that may have a target which the rule is for, such as a script
   * of which a part is not understood. Default: `ask`.
   */
  readonly unknown?: "ask" | "allow";
}

/**
 * The caller. Every given key must match; a caller without roles has none, and one without an agent acts itself. If a
 * call has no caller, `ask` and `deny` apply to it, and `allow` does not.
 */
export interface CallerCondition {
  readonly id?: PolicyGlobs;
  /** One of the caller's roles. */
  readonly roles?: PolicyGlobs;
  readonly agent?: PolicyGlobs;
}

/**
 * One rule of a policy: plain JSON. It matches when each of its conditions does; without any it
 * matches everything, which only `ask` and `deny` may.
 */
export interface PolicyRule {
  /** Names the rule in explanations and in the audit. Default: its place, `rules[2]`. */
  readonly id?: string;
  readonly effect: PolicyEffect;
  /** With the effect `ask`: a person is asked each time, and nothing remembered answers. */
  readonly ask?: "always";
  /**
   * Over the tools' names in the registry, with their prefix. A source names its own tools: what
   * allows by name is safest with a `provenance.source` beside it.
   */
  readonly tools?: PolicyGlobs;
  readonly provenance?: ProvenanceCondition;
  readonly annotations?: AnnotationCondition;
  /**
   * The rule is for the permissions that match, and not for the call itself. Without it a rule is
   * for the call and for every permission that it asks for.
   */
  readonly permissions?: PermissionCondition;
  readonly callers?: CallerCondition;
  /** For the person who is asked, and for the model when the call is denied. */
  readonly reason?: string;
  /** Examples that the rule must match; otherwise the policy is rejected. */
  readonly match?: readonly (string | PolicyExample)[];
  /** Examples that the rule must not match; otherwise the policy is rejected. */
  readonly notMatch?: readonly (string | PolicyExample)[];
}

/** A call as an example of a rule. A tool's name alone is short for `{ tool }`. */
export interface PolicyExample {
  readonly tool: string;
  /** The tool's annotations are believed. Default: true. */
  readonly trusted?: boolean;
  readonly annotations?: Omit<AnnotationCondition, "access"> & {
    readonly access?: Omit<ToolAccess, "workspaceRoot">;
  };
  /** Default: a function of the host's own (`{ adapter: "code", source: "host" }`). */
  readonly provenance?: {
    readonly adapter?: string;
    readonly source?: string;
    readonly origin?: Readonly<Record<string, string>>;
  };
  /** Default: none, the call itself. */
  readonly permission?: { readonly kind: string; readonly target: string };
  /** Default: none. */
  readonly caller?: Caller;
}

/** A policy as data: plain JSON, to be stored in a file or with a pending call. */
export interface PolicyDefinition {
  /** Default: its place, `policy` or `policy[1]`. */
  readonly name?: string;
  /**
   * The decision for calls that no rule matches. Default: `supervised` in the first of several policies (a
   * `SourcePolicy` does not count), and in the others the decision of those before them.
   */
  readonly preset?: PolicyPreset;
  /** In place of a preset: the same for all that no rule matches. `deny` makes a list of allows complete. */
  readonly default?: PolicyEffect;
  /** Every matching rule counts, in any order: deny before ask before allow. */
  readonly rules?: readonly PolicyRule[];
}

/** The argument of a policy function. */
export interface PolicyQuestion {
  readonly spec: ToolSpec;
  /** The tool's annotations can be believed. */
  readonly trusted: boolean;
  /** The id of the tool's source in the registry; `host` for the host's own. */
  readonly source: string;
  /** One of the permissions that the call asks for; absent: the call itself. */
  readonly permission?: PermissionRequest;
  readonly caller?: Caller;
  /** Final, validated, and frozen. */
  readonly arguments: JsonObject;
}

/** The decision of a policy function; `undefined`: none. */
export type PolicyAnswer =
  | PolicyEffect
  | { readonly effect: PolicyEffect; readonly reason?: string; readonly ask?: "always" }
  | undefined;

/**
 * Decides what data cannot. It is asked about the call or about each permission, and answers like a
 * rule. What it throws denies, and so does an answer that is none.
 */
export type PolicyFunction = (question: PolicyQuestion) => Awaitable<PolicyAnswer>;

/**
 * A policy that decides only about the tools of some sources, such as the commands of a workspace. For all other tools,
 * and where its function has no opinion, it is as if it were absent.
 *
 * Before all other policies, its opinion replaces the implicit preset `supervised` of the first of them. An explicit
 * preset, a default and every rule of theirs still count: the strictest decision wins. Behind others it only narrows.
 */
export interface SourcePolicy {
  /** Default: its place, `policy[0]`. */
  readonly name?: string;
  /** The ids of the sources in the registry; `host` for tools that host code added itself. */
  readonly sources: PolicyGlobs;
  readonly decide: PolicyFunction;
}

/** One policy: a preset, rules, a function, or a function for the tools of some sources. */
export type PolicyLayerInput = PolicyPreset | PolicyDefinition | PolicyFunction | SourcePolicy;

/**
 * The forms in which a host can give its policy. Each of several policies only narrows those before it, except for a
 * `SourcePolicy` before the others.
 */
export type PolicyInput = PolicyLayerInput | readonly PolicyLayerInput[];

/** The kind of the permission with which a tool asks for approval of a call. */
export const approvalKind = "custom.approval";

/** The kinds of permissions that have a name; a tool's own are `custom.*`. */
export const permissionKinds: readonly string[] = [
  "process",
  "fs.read",
  "fs.write",
  "network",
  "spend",
  "delegate",
  "mcp",
];

/**
 * An action that a call intends, declared before it is performed. `kind` is one of `process`, `fs.read`, `fs.write`,
 * `network`, `spend`, `delegate`, `mcp`, or `custom.*`.
 */
export interface PermissionRequest {
  readonly kind: string;
  /**
   * The target of the action: a path (the one that is used, without `..`), an origin, a command, an amount. Of a
   * request that is sent: `METHOD URL` with its query, as `DELETE https://api.example.com/pets/7?force=true`.
   */
  readonly target: string;
  /** One line for the person who decides. */
  readonly summary: string;
  readonly details?: JsonValue;
  /** Other spellings of the target. Rules that deny or ask match them too, rules that allow do not. */
  readonly otherTargets?: readonly string[];
  /**
   * Targets that the action may have beside its own; `any`: it may have every one. A rule that denies or asks for one of
   * them asks.
   */
  readonly possibleTargets?: readonly string[] | "any";
}
