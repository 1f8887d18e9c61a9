import type { Awaitable } from "@toolweave/core";
import type { Finding } from "../contract/finding.ts";
import type { Manifest, SampleCalls, SampleKind } from "../contract/manifest.ts";
import type { RuleResult } from "../report/report.ts";
import { requirements } from "../requirements/requirements.ts";
import type { Subject } from "./subject.ts";

/** The dependencies of a check: the manifest, subjects, and ways to wait. */
export interface CheckContext {
  readonly manifest: Manifest;
  /** The seed of generated inputs. */
  readonly seed: number;
  /** Returns the subject that all rules share which only read. */
  subject(): Promise<Subject>;
  /** Returns a new, ready subject that nothing else has used. It is closed when the check ends. */
  createReady(): Promise<Subject>;
  /** Returns a new subject like `fresh` that need not be ready yet. */
  create(): Promise<Subject>;
  /** Returns a new subject that `create` makes, in place of the manifest's `create`. */
  createWith(create: Manifest["create"]): Promise<Subject>;
  /** The manifest's sample calls of a kind that the check requires. */
  samples<Kind extends SampleKind>(kind: Kind): NonNullable<SampleCalls[Kind]>;
  /** Waits for `pending`, at most until the run's deadline. */
  withDeadline<T>(pending: PromiseLike<T>, what: string): Promise<T>;
  /** Waits for the quiet period, in which nothing may happen any more. */
  waitQuietly(): Promise<void>;
  /** Checks some of the rules that hold here on another manifest. */
  checkOther(manifest: Manifest, ids: readonly string[]): Promise<readonly RuleResult[]>;
}

/** The check of a rule. If `run` throws, the rule fails. */
export interface Check {
  /** The rule's id. */
  readonly id: string;
  run(context: CheckContext): Awaitable<Finding>;
}

/** Creates the check of a rule. The rule itself declares what it needs. */
export function defineCheck(id: string, run: Check["run"]): Check {
  if (!requirements.some((requirement) => requirement.id === id)) {
    throw new Error(`There is no rule ${id} to check.`);
  }
  return { id, run };
}

const valuesBySubject = new WeakMap<Subject, Map<string, Promise<unknown>>>();

/**
 * Creates a value for several rules of one run: the first rule creates it, the others receive the
 * same value. It has to be plain data, since the subjects of the first rule are closed when that
 * rule is done.
 *
 * @param key identifies the value.
 */
export async function memoizePerRun<T>(
  context: CheckContext,
  key: string,
  make: () => Promise<T>,
): Promise<T> {
  const subject = await context.subject();
  const known = valuesBySubject.get(subject) ?? new Map<string, Promise<unknown>>();
  valuesBySubject.set(subject, known);
  const made = (known.get(key) as Promise<T> | undefined) ?? make();
  known.set(key, made);
  return made;
}
