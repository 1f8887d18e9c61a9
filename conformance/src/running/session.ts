import { ToolError } from "@toolweave/core";
import type { Check, CheckContext } from "./check.ts";
import { checks } from "./checks/checks.ts";
import { failed, messageOf, notApplicable, type Finding } from "./finding.ts";
import { declares, placeOf, reasonWithout } from "./declarations.ts";
import type { Declaration, Manifest } from "./manifest.ts";
import { resultOf, type RuleResult } from "./report.ts";
import type { Requirement } from "./requirement.ts";
import { openingId, requirements, silenceId } from "./requirements.ts";
import { closeQuietly, create, open, type Subject } from "./subject.ts";
import { within } from "./within.ts";

/** How a manifest is tested. */
export interface ConformanceOptions {
  /** Gives the inputs of an earlier run again. Default: another one each time. */
  readonly seed?: number;
  /**
   * Milliseconds that anything may take that must come to an end: `ready`, a sample call, the end
   * of a cancelled one. Default: 10,000.
   */
  readonly deadlineMs?: number;
  /**
   * Milliseconds that the kit watches for what must not happen any more: a late effect, a late
   * update. Default: 50.
   */
  readonly quietMs?: number;
  /**
   * The ids of the rules to check (`TW-SPEC-003`), or areas (`SPEC`), with the rules that they stand
   * on. Default: every rule.
   */
  readonly only?: readonly string[];
}

const opening = requirements.find(({ id }) => id === openingId) as Requirement;

const checksById = new Map(checks.map((check) => [check.id, check]));

/** The rules of one manifest: each is checked once, when it is first asked for. */
export class Session {
  readonly manifest: Manifest;
  readonly seed: number;
  readonly #deadlineMs: number;
  readonly #quietMs: number;
  readonly #results = new Map<string, Promise<RuleResult>>();
  readonly #durations = new Map<string, number>();
  /** What checks have made that is not closed yet, and runs on views. */
  readonly #own = new Set<Promise<Subject>>();
  readonly #others = new Set<Session>();
  #closed = false;
  #shared: Promise<Subject> | undefined;

  /** @throws ToolError `internal` when the manifest contradicts itself. */
  constructor(manifest: Manifest, options: ConformanceOptions = {}) {
    refuseContradictions(manifest);
    this.manifest = manifest;
    this.seed = options.seed ?? Math.floor(Math.random() * 2 ** 31);
    this.#deadlineMs = options.deadlineMs ?? 10_000;
    this.#quietMs = options.quietMs ?? 50;
  }

  /** Why a rule cannot apply, as far as the manifest says so. */
  notApplicable({ needs }: Requirement): string | undefined {
    return needs
      .map((need) => (need === "source" ? undefined : reasonWithout(this.manifest, need)))
      .find(Boolean);
  }

  /** Checks a rule. Never rejects. */
  result(requirement: Requirement): Promise<RuleResult> {
    const { id } = requirement;
    let result = this.#results.get(id);
    if (result === undefined) {
      result = this.#finding(requirement)
        .catch((error: unknown) =>
          failed("The check could not be finished.", `Checked ${id}.`, messageOf(error)),
        )
        .then((finding) =>
          resultOf(requirement, finding, {
            seed: this.seed,
            durationMs: this.#durations.get(id) ?? 0,
            known: this.manifest.knownFailing?.[id],
          }),
        );
      this.#results.set(id, result);
    }
    return result;
  }

  /** Lets go of what the rules made, of a check that still runs too. */
  async close(): Promise<void> {
    this.#closed = true;
    const shared = this.#shared === undefined ? [] : [this.#shared];
    this.#shared = undefined;
    await Promise.all([
      ...[...shared, ...this.#own].map((made) => this.#release(made)),
      ...[...this.#others].map((other) => other.close()),
    ]);
  }

  async #finding(requirement: Requirement): Promise<Finding> {
    const { id, needs, presupposes } = requirement;
    const reason = this.notApplicable(requirement);
    if (reason !== undefined) return notApplicable(reason);
    const check = checksById.get(id);
    if (check === undefined) throw new Error(`The rule ${id} has no check.`);
    if (id === opening.id) return this.#run(check);
    if ((await this.result(opening)).status !== "passed") {
      return notApplicable(`There is nothing to look at: see ${opening.id}.`);
    }
    if (needs.includes("source") && !(await this.#open()).isSource) {
      return notApplicable("create() gives a list of tools, not a source.");
    }
    const silent = needs.find((need) => need !== "source" && !declares(this.manifest, need));
    if (silent !== undefined) {
      return notApplicable(`The manifest says nothing of ${silent}: see ${silenceId}.`);
    }
    const broken = await this.#brokenUnder(presupposes);
    if (broken !== undefined) {
      return notApplicable(`It stands on a rule that is broken: see ${broken}.`);
    }
    return this.#run(check);
  }

  /** The first of `rules`, or of what they stand on, that is broken. */
  async #brokenUnder(rules: readonly string[]): Promise<string | undefined> {
    for (const id of rules) {
      const rule = ruleOf(id);
      const { status } = await this.result(rule);
      if (status === "failed" || status === "known-failing") return id;
      const under = await this.#brokenUnder(rule.presupposes);
      if (under !== undefined) return under;
    }
    return undefined;
  }

  async #run(check: Check): Promise<Finding> {
    const own: Promise<Subject>[] = [];
    const keep = (make: () => Promise<Subject>): Promise<Subject> => {
      if (this.#closed) return Promise.reject(new Error("The run is over."));
      const made = make();
      own.push(made);
      this.#own.add(made);
      return made;
    };
    const { manifest, seed } = this;
    const deadlineMs = this.#deadlineMs;
    const quietMs = this.#quietMs;
    const context: CheckContext = {
      manifest,
      seed,
      subject: () => this.#open(),
      fresh: () => keep(() => open(manifest, deadlineMs)),
      created: () => keep(() => create(manifest, deadlineMs)),
      samples: (kind) => manifest.samples?.[kind] ?? [],
      within: (pending, what) => within(pending, deadlineMs, what),
      quiet: () => new Promise((resolve) => setTimeout(resolve, quietMs)),
      holding: (other, ids) => this.#holding(other, ids),
    };
    const began = performance.now();
    try {
      return await check.run(context);
    } finally {
      await Promise.all(own.map((made) => this.#release(made)));
      this.#durations.set(check.id, Math.round((performance.now() - began) * 10) / 10);
    }
  }

  async #release(made: Promise<Subject>): Promise<void> {
    const subject = await made.catch(() => undefined);
    this.#own.delete(made);
    if (subject !== undefined) await closeQuietly(subject, this.#deadlineMs);
  }

  #open(): Promise<Subject> {
    if (this.#closed) return Promise.reject(new Error("The run is over."));
    return (this.#shared ??= open(this.manifest, this.#deadlineMs));
  }

  async #holding(manifest: Manifest, ids: readonly string[]): Promise<readonly RuleResult[]> {
    const other = new Session(manifest, {
      seed: this.seed,
      deadlineMs: this.#deadlineMs,
      quietMs: this.#quietMs,
    });
    this.#others.add(other);
    const results: RuleResult[] = [];
    try {
      for (const requirement of requirements) {
        if (!ids.includes(requirement.id)) continue;
        const here = await this.result(requirement);
        if (here.status === "passed") results.push(await other.result(requirement));
      }
    } finally {
      this.#others.delete(other);
      await other.close();
    }
    return results;
  }
}

function ruleOf(id: string): Requirement {
  const rule = requirements.find((requirement) => requirement.id === id);
  if (rule === undefined) throw new Error(`There is no rule ${id}.`);
  return rule;
}

function refuseContradictions(manifest: Manifest): void {
  const { name, without = {}, knownFailing = {} } = manifest;
  if (without === "") throw misuse(`${name}: without needs a reason.`);
  for (const [declaration, reason] of Object.entries(typeof without === "string" ? {} : without)) {
    const place = placeOf(declaration as Declaration);
    if (place === undefined) {
      throw misuse(`${name}: without names ${declaration}, which is nothing to declare.`);
    }
    if (reason === "") throw misuse(`${name}: without.${declaration} needs a reason.`);
    if (declares(manifest, declaration as Declaration)) {
      throw misuse(`${name}: there are ${place}, so take ${declaration} out of without.`);
    }
  }
  for (const id of Object.keys(knownFailing)) {
    if (!checksById.has(id)) throw misuse(`${name}: knownFailing names ${id}, which is no rule.`);
  }
}

function misuse(message: string): ToolError {
  return new ToolError("internal", message);
}
