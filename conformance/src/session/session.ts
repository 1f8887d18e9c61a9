import type { Check, CheckContext } from "../context/check.ts";
import { checks } from "../checks/checks.ts";
import {
  isDeclared,
  absenceReason,
  type Manifest,
  type SampleCall,
  type SampleKind,
} from "../contract/manifest.ts";
import {
  failed,
  formatError,
  notApplicable,
  formatErrorWithCauses,
  type Finding,
  redactFinding,
} from "../contract/finding.ts";
import { createResult, type RuleResult } from "../report/report.ts";
import type { Requirement } from "../requirements/requirement.ts";
import { creationRuleId, requirements, manifestRuleId } from "../requirements/requirements.ts";
import { waitForTurns, EscapedErrors } from "../context/escaped-errors.ts";
import { DeadlineBudget } from "../context/deadline-budget.ts";
import { validateManifest } from "./validate-manifest.ts";
import { closeQuietly, createSubject, openSubject, type Subject } from "../context/subject.ts";

/** Options of a conformance test. */
export interface ConformanceOptions {
  /** The seed of the generated inputs; repeats the inputs of an earlier run. Default: random. */
  readonly seed?: number;
  /**
   * The deadline in milliseconds of everything that has to end: `ready`, a sample call, a cancelled
   * call. Time in which the process is busy does not count, up to ten times the deadline.
   * Default: 10,000.
   */
  readonly deadlineMs?: number;
  /**
   * Milliseconds in which the kit watches for what must not happen any more: a late effect or a
   * late update. Default: 50.
   */
  readonly quietMs?: number;
  /**
   * The ids of rules to check (`TW-SPEC-003`), or areas (`SPEC`). The rules that they build on are
   * checked too. Default: every rule.
   */
  readonly only?: readonly string[];
}

const creationRule = requirements.find(({ id }) => id === creationRuleId) as Requirement;

/** The rules that report errors which escape from calls. They build on no other rules. */
const escapeRuleIds: readonly string[] = ["TW-CALL-019", "TW-CANCEL-008"];

const checksById = new Map(checks.map((check) => [check.id, check]));

/** The rules of one manifest. Each rule is checked once, when its result is first requested. */
export class Session {
  readonly manifest: Manifest;
  readonly seed: number;
  readonly #budget: DeadlineBudget;
  readonly #quietMs: number;
  readonly #results = new Map<string, Promise<RuleResult>>();
  readonly #durations = new Map<string, number>();
  /** The subjects of checks that are not closed yet, and the sessions of views. */
  readonly #checkSubjects = new Set<Promise<Subject>>();
  readonly #otherSessions = new Set<Session>();
  /** The error messages of subjects that could not be created. */
  readonly #creationErrors = new Set<string>();
  #uncallableNames: Promise<ReadonlySet<string>> | undefined;
  /** The first rule for which a subject could not be created. */
  #firstFailedCreation: string | undefined;
  /** Catches the errors that escape from the tools, so that they do not end the run. */
  #escapedErrors: EscapedErrors | undefined;
  #closed = false;
  #shared: Promise<Subject> | undefined;

  /**
   * @param budget the budget of the run that this session is part of. Default: a new one.
   * @throws ToolError `invalid_configuration` if the manifest is invalid.
   */
  constructor(
    manifest: Manifest,
    options: ConformanceOptions = {},
    budget: DeadlineBudget = new DeadlineBudget(options.deadlineMs ?? 10_000),
  ) {
    validateManifest(manifest);
    this.manifest = manifest;
    this.seed = options.seed ?? Math.floor(Math.random() * 2 ** 31);
    this.#budget = budget;
    this.#quietMs = options.quietMs ?? 50;
  }

  /** The reason why a rule does not apply, if the manifest gives one. */
  notApplicable({ needs }: Requirement): string | undefined {
    return needs
      .map((need) => (need === "source" ? undefined : absenceReason(this.manifest, need)))
      .find(Boolean);
  }

  /** Returns the result of a rule, which is checked once. Never rejects. */
  result(requirement: Requirement): Promise<RuleResult> {
    const { id } = requirement;
    let result = this.#results.get(id);
    if (result === undefined) {
      result = this.#check(requirement)
        .catch((error: unknown) => this.#toFailure(id, error))
        .then((finding) =>
          createResult(requirement, redactFinding(finding, this.manifest.secrets), {
            seed: this.seed,
            durationMs: this.#durations.get(id) ?? 0,
            known: this.manifest.knownFailing?.[id],
          }),
        );
      this.#results.set(id, result);
    }
    return result;
  }

  /** Closes all subjects, also those of a check that still runs. */
  async close(): Promise<void> {
    this.#closed = true;
    const shared = this.#shared === undefined ? [] : [this.#shared];
    this.#shared = undefined;
    await Promise.all([
      ...[...shared, ...this.#checkSubjects].map((made) => this.#closeSubject(made)),
      ...[...this.#otherSessions].map((other) => other.close()),
    ]);
    this.#escapedErrors?.[Symbol.dispose]();
  }

  async #check(requirement: Requirement): Promise<Finding> {
    const { id, needs, presupposes } = requirement;
    const reason = this.notApplicable(requirement);
    if (reason !== undefined) return notApplicable(reason);
    const check = checksById.get(id);
    if (check === undefined) throw new Error(`The rule ${id} has no check.`);
    if (id === creationRule.id) return this.#run(check);
    if ((await this.result(creationRule)).status !== "passed") {
      return notApplicable(`There is no subject to check: see ${creationRule.id}.`);
    }
    if (needs.includes("source") && !(await this.#openShared()).isSource) {
      return notApplicable("create() returns a list of tools, not a source.");
    }
    const undeclared = needs.find((need) => need !== "source" && !isDeclared(this.manifest, need));
    if (undeclared !== undefined) {
      return notApplicable(`The manifest does not declare ${undeclared}: see ${manifestRuleId}.`);
    }
    const uncallable = await this.#findUncallable(needs);
    if (uncallable !== undefined) {
      return notApplicable(
        `A registry does not accept "${uncallable}": see the rules about its spec and its name.`,
      );
    }
    const broken = await this.#findBroken(presupposes);
    if (broken !== undefined) {
      return notApplicable(`It builds on a rule that is broken: see ${broken}.`);
    }
    const { exhaustedBy } = this.#budget;
    if (exhaustedBy !== undefined) {
      return notApplicable(`Too many operations timed out before this rule: see ${exhaustedBy}.`);
    }
    return this.#run(check);
  }

  /** The finding for a check that threw. */
  #toFailure(id: string, error: unknown): Finding {
    const done = `Checked ${id}.`;
    if (!this.#creationErrors.has(formatError(error))) {
      const message = "The check was not completed, because an operation threw an error.";
      return failed(message, done, formatErrorWithCauses(error));
    }
    // The cause affects all later rules as well, and is reported once.
    const first = this.#firstFailedCreation;
    this.#firstFailedCreation ??= id;
    if (first !== undefined)
      return notApplicable(`The subject could not be created again: see ${first}.`);
    const message = "A first subject became ready, but another one does not.";
    return failed(
      message,
      `${done} The check called create() again.`,
      formatErrorWithCauses(error),
    );
  }

  /** The first tool of the required sample calls that a registry does not accept. */
  async #findUncallable(needs: Requirement["needs"]): Promise<string | undefined> {
    const { samples = {} } = this.manifest;
    const calls = needs.flatMap((need): readonly SampleCall[] => samples[need as SampleKind] ?? []);
    if (calls.length === 0) return undefined;
    const uncallable = await (this.#uncallableNames ??= this.#openShared().then((made) =>
      made.uncallableNames(),
    ));
    return calls.find(({ tool }) => uncallable.has(tool))?.tool;
  }

  /** The first of the rules, or of the rules that they build on, that is broken. */
  async #findBroken(rules: readonly string[]): Promise<string | undefined> {
    for (const id of rules) {
      const rule = getRule(id);
      const { status } = await this.result(rule);
      if (status === "failed" || status === "known-failing") return id;
      const under = await this.#findBroken(rule.presupposes);
      if (under !== undefined) return under;
    }
    return undefined;
  }

  async #run(check: Check): Promise<Finding> {
    const own: Promise<Subject>[] = [];
    const keep = (make: () => Promise<Subject>): Promise<Subject> => {
      if (this.#closed) return Promise.reject(new Error("The run has ended."));
      const made = this.#recordFailure(make());
      own.push(made);
      this.#checkSubjects.add(made);
      return made;
    };
    const { manifest, seed } = this;
    const budget = this.#budget;
    const quietMs = this.#quietMs;
    const context: CheckContext = {
      manifest,
      seed,
      subject: () => this.#openShared(),
      createReady: () => keep(() => openSubject(manifest, budget)),
      create: () => keep(() => createSubject(manifest, budget)),
      createWith: (other) => keep(() => createSubject({ ...manifest, create: other }, budget)),
      samples: (kind) => manifest.samples?.[kind] ?? [],
      withDeadline: (pending, what) => budget.withDeadline(pending, what),
      waitQuietly: () => new Promise((resolve) => setTimeout(resolve, quietMs)),
      checkOther: (other, ids) => this.#checkOther(other, ids),
    };
    const began = performance.now();
    const escapedErrors = (this.#escapedErrors ??= new EscapedErrors(manifest, true));
    const before = escapedErrors.caught.length;
    let found: Finding;
    try {
      found = await escapedErrors.run(async () => check.run(context));
    } finally {
      await Promise.all(own.map((made) => this.#closeSubject(made)));
      await waitForTurns();
      if (budget.isExhausted) budget.exhaustedBy ??= check.id;
      this.#durations.set(check.id, Math.round((performance.now() - began) * 10) / 10);
    }
    budget.hasReported ||=
      found.status === "failed" && manifest.knownFailing?.[check.id] === undefined;
    if (budget.exhaustedBy === check.id && !budget.hasReported) {
      const message = "Too many operations timed out: the run was aborted.";
      return failed(message, `Checked ${check.id}.`, budget.timedOut);
    }
    return this.#reportEscaped(check, found, escapedErrors.caught.slice(before));
  }

  /** The run continues if an error escapes; one rule has to report it. */
  async #reportEscaped(
    check: Check,
    found: Finding,
    escapedNow: readonly unknown[],
  ): Promise<Finding> {
    const says = escapeRuleIds.includes(check.id) || check.id === creationRuleId;
    if (escapedNow.length === 0 || found.status === "failed" || says) return found;
    for (const id of escapeRuleIds) {
      const { status } = await this.result(getRule(id));
      if (status === "failed" || status === "known-failing") return found;
    }
    const message = "An unhandled error escapes, which would end the process.";
    return failed(message, `Checked ${check.id}, or a rule before it.`, formatError(escapedNow[0]));
  }

  async #closeSubject(made: Promise<Subject>): Promise<void> {
    const subject = await made.catch(() => undefined);
    this.#checkSubjects.delete(made);
    if (subject !== undefined) await closeQuietly(subject, this.#budget);
  }

  #openShared(): Promise<Subject> {
    if (this.#closed) return Promise.reject(new Error("The run has ended."));
    return (this.#shared ??= this.#recordFailure(openSubject(this.manifest, this.#budget)));
  }

  /** Records why a subject could not be created. */
  #recordFailure(made: Promise<Subject>): Promise<Subject> {
    made.catch((error: unknown) => this.#creationErrors.add(formatError(error)));
    return made;
  }

  async #checkOther(manifest: Manifest, ids: readonly string[]): Promise<readonly RuleResult[]> {
    const options = { seed: this.seed, quietMs: this.#quietMs };
    const other = new Session(manifest, options, this.#budget);
    this.#otherSessions.add(other);
    const results: RuleResult[] = [];
    try {
      for (const requirement of requirements) {
        if (!ids.includes(requirement.id)) continue;
        const here = await this.result(requirement);
        if (here.status === "passed") results.push(await other.result(requirement));
      }
    } finally {
      this.#otherSessions.delete(other);
      await other.close();
    }
    return results;
  }
}

function getRule(id: string): Requirement {
  const rule = requirements.find((requirement) => requirement.id === id);
  if (rule === undefined) throw new Error(`There is no rule ${id}.`);
  return rule;
}
