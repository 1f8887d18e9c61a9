import type { Awaitable } from "@toolweave/core";
import type { Finding } from "../contract/finding.ts";
import type { Manifest, SampleCalls, SampleKind } from "../contract/manifest.ts";
import type { RuleResult } from "../report/report.ts";
import { requirements } from "../requirements/requirements.ts";
import type { Subject } from "./subject.ts";

/** What a check gets to work with. */
export interface CheckContext {
  readonly manifest: Manifest;
  /** For generated inputs. */
  readonly seed: number;
  /** One that rules share which only read. */
  subject(): Promise<Subject>;
  /** One of the check's own: nothing else has used it. Closed when the check ends. */
  fresh(): Promise<Subject>;
  /** Like `fresh`, not yet waited for. */
  created(): Promise<Subject>;
  /** The same, made by something else than the manifest's `create`. */
  createdBy(create: Manifest["create"]): Promise<Subject>;
  /** The manifest's sample calls of a kind that the check needs. */
  samples<Kind extends SampleKind>(kind: Kind): NonNullable<SampleCalls[Kind]>;
  /** Waits no longer than the run's deadline. */
  within<T>(pending: PromiseLike<T>, what: string): Promise<T>;
  /** Waits for a moment in which nothing may happen any more. */
  quiet(): Promise<void>;
  /** What comes of those of some rules that hold here for another manifest. */
  holding(manifest: Manifest, ids: readonly string[]): Promise<readonly RuleResult[]>;
}

/** How a rule is checked. What `run` throws is a failure of the rule. */
export interface Check {
  /** The rule's id. */
  readonly id: string;
  run(context: CheckContext): Awaitable<Finding>;
}

/** Makes the check of a rule; what it needs is the rule's to say. */
export function check(id: string, run: Check["run"]): Check {
  if (!requirements.some((requirement) => requirement.id === id)) {
    throw new Error(`There is no rule ${id} to check.`);
  }
  return { id, run };
}
