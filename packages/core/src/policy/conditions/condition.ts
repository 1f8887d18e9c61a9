import type { Caller } from "../../contract/caller.ts";
import type { PermissionRequest, PolicyRule } from "../../contract/policy-definition.ts";
import type { RegisteredTool } from "../../contract/tool.ts";

/**
 * The certainty with which a rule matches. A match that depends on untrusted claims, or on a caller that was not given,
 * is at most possible: that is enough to ask or deny, not to allow, and not to replace the policy's default (an `ask`
 * that displaced a `deny` would loosen). An unclear match is only enough to ask.
 */
export type Certainty = typeof impossible | typeof unclear | typeof possible | typeof certain;
/** It does not match. */
export const impossible = 0;
/** Nothing says whether it matches. */
export const unclear = 1;
/** It may match. */
export const possible = 2;
/** It matches. */
export const certain = 3;

/** Determines whether a subject meets a condition. */
export type Test<Subject> = (subject: Subject) => Certainty;

/** The objects that conditions test. */
export interface ConditionSubjects {
  readonly tool: RegisteredTool;
  readonly permission: PermissionRequest;
  readonly caller: Caller;
}

/** A part of a rule that has no effect: its place in the rule, and what is wrong with it. */
export type Finding = readonly [member: string, message: string];

/** A condition that tests one kind of object. */
export interface ConditionOf<Subject extends keyof ConditionSubjects, Value> {
  /** The object that the condition tests. */
  readonly subject: Subject;
  /** Throws a `ToolError` `invalid_configuration` that starts with `where` for a value that is not valid. */
  check(where: string, given: unknown): void;
  /** @param value checked. */
  compile(value: Value): Test<ConditionSubjects[Subject]>;
  /** Finds values that can never match, whatever the tools are. */
  findContradictions?(value: Value, rule: PolicyRule): readonly Finding[];
  /** Finds values that match none of the tools. */
  findUnmatched?(value: Value, entries: readonly RegisteredTool[]): readonly Finding[];
  /** Finds values that match no call of the tools that the rule is for. */
  findUnmatchedCalls?(value: Value, entries: readonly RegisteredTool[]): readonly Finding[];
  /** A likely reason for which an `allow` with this condition matches no tool. */
  readonly allowHint?: string;
}

/** One condition of a policy's rules: its check, its test, and the values of it that have no effect. */
export type Condition<Value> = {
  readonly [Subject in keyof ConditionSubjects]: ConditionOf<Subject, Value>;
}[keyof ConditionSubjects];
