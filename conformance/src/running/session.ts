import type { Check, CheckContext } from "../context/check.ts";
import { checks } from "../checks/checks.ts";
import { declares, reasonWithout } from "../contract/declarations.ts";
import { failed, messageOf, notApplicable, withCauses, type Finding } from "../contract/finding.ts";
import type { Manifest, SampleCall, SampleKind } from "../contract/manifest.ts";
import { resultOf, type RuleResult } from "../report/report.ts";
import { withoutSecrets } from "../report/without-secrets.ts";
import type { Requirement } from "../requirements/requirement.ts";
import { openingId, requirements, silenceId } from "../requirements/requirements.ts";
import { someTurns, StrayErrors } from "../context/stray-errors.ts";
import { DeadlineBudget } from "../context/deadline-budget.ts";
import { refuseManifest } from "./refuse-manifest.ts";
import { closeQuietly, create, open, type Subject } from "../context/subject.ts";

/** How a manifest is tested. */
export interface ConformanceOptions {
  /** Gives the inputs of an earlier run again. Default: another one each time. */
  readonly seed?: number;
  /**
   * Milliseconds that anything may take that must come to an end: `ready`, a sample call, the end
   * of a cancelled one. Time in which the process works does not count, up to ten times as many.
   * Default: 10,000.
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

/** The rules that say that errors escape of calls. They stand on no others. */
const escapeIds: readonly string[] = ["TW-CALL-019", "TW-CANCEL-008"];

const checksById = new Map(checks.map((check) => [check.id, check]));

/** The rules of one manifest: each is checked once, when it is first asked for. */
export class Session {
  readonly manifest: Manifest;
  readonly seed: number;
  readonly #budget: DeadlineBudget;
  readonly #quietMs: number;
  readonly #results = new Map<string, Promise<RuleResult>>();
  readonly #durations = new Map<string, number>();
  /** What checks have made that is not closed yet, and runs on views. */
  readonly #own = new Set<Promise<Subject>>();
  readonly #others = new Set<Session>();
  /** What is said when one cannot be made. */
  readonly #unmade = new Set<string>();
  #untakenNames: Promise<ReadonlySet<string>> | undefined;
  /** The first rule for which one could not be made. */
  #firstUnmade: string | undefined;
  /** What escapes of the tools ends no run. */
  #strays: StrayErrors | undefined;
  #closed = false;
  #shared: Promise<Subject> | undefined;

  /**
   * @param budget the budget of the run that this one is a part of. Default: its own.
   * @throws ToolError `internal` when the manifest contradicts itself.
   */
  constructor(
    manifest: Manifest,
    options: ConformanceOptions = {},
    budget: DeadlineBudget = new DeadlineBudget(options.deadlineMs ?? 10_000),
  ) {
    refuseManifest(manifest);
    this.manifest = manifest;
    this.seed = options.seed ?? Math.floor(Math.random() * 2 ** 31);
    this.#budget = budget;
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
        .catch((error: unknown) => this.#unfinished(id, error))
        .then((finding) =>
          resultOf(requirement, withoutSecrets(finding, this.manifest.secrets), {
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
    this.#strays?.[Symbol.dispose]();
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
    const untaken = await this.#untaken(needs);
    if (untaken !== undefined) {
      return notApplicable(
        `No registry takes "${untaken}" as it is: see the rules about its spec and its name.`,
      );
    }
    const broken = await this.#brokenUnder(presupposes);
    if (broken !== undefined) {
      return notApplicable(`It stands on a rule that is broken: see ${broken}.`);
    }
    const { lostBy } = this.#budget;
    if (lostBy !== undefined) {
      return notApplicable(`Too much before it did not come to an end: see ${lostBy}.`);
    }
    return this.#run(check);
  }

  /** What a check comes to that threw. */
  #unfinished(id: string, error: unknown): Finding {
    const done = `Checked ${id}.`;
    if (!this.#unmade.has(messageOf(error))) {
      const message = "The check could not be finished: something that it called threw.";
      return failed(message, done, withCauses(error));
    }
    // Whatever keeps it from being made keeps it for all the rest: said once.
    const first = this.#firstUnmade;
    this.#firstUnmade ??= id;
    if (first !== undefined) return notApplicable(`It could not be made again: see ${first}.`);
    const message = "It became ready before, and now another one does not.";
    return failed(message, `${done} For that, create() was called again.`, withCauses(error));
  }

  /** The first tool of the sample calls that a rule needs which cannot be called as it is. */
  async #untaken(needs: Requirement["needs"]): Promise<string | undefined> {
    const { samples = {} } = this.manifest;
    const calls = needs.flatMap((need): readonly SampleCall[] => samples[need as SampleKind] ?? []);
    if (calls.length === 0) return undefined;
    const untaken = await (this.#untakenNames ??= this.#open().then((made) => made.untaken()));
    return calls.find(({ tool }) => untaken.has(tool))?.tool;
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
      const made = this.#noted(make());
      own.push(made);
      this.#own.add(made);
      return made;
    };
    const { manifest, seed } = this;
    const budget = this.#budget;
    const quietMs = this.#quietMs;
    const context: CheckContext = {
      manifest,
      seed,
      subject: () => this.#open(),
      fresh: () => keep(() => open(manifest, budget)),
      created: () => keep(() => create(manifest, budget)),
      createdBy: (other) => keep(() => create({ ...manifest, create: other }, budget)),
      samples: (kind) => manifest.samples?.[kind] ?? [],
      within: (pending, what) => budget.within(pending, what),
      quiet: () => new Promise((resolve) => setTimeout(resolve, quietMs)),
      holding: (other, ids) => this.#holding(other, ids),
    };
    const began = performance.now();
    const strays = (this.#strays ??= new StrayErrors(manifest, true));
    const before = strays.caught.length;
    let found: Finding;
    try {
      found = await strays.run(async () => check.run(context));
    } finally {
      await Promise.all(own.map((made) => this.#release(made)));
      await someTurns();
      if (budget.isLost) budget.lostBy ??= check.id;
      this.#durations.set(check.id, Math.round((performance.now() - began) * 10) / 10);
    }
    budget.isTold ||= found.status === "failed" && manifest.knownFailing?.[check.id] === undefined;
    if (budget.lostBy === check.id && !budget.isTold) {
      const message = "Too much does not come to an end: the run is given up.";
      return failed(message, `Checked ${check.id}.`, budget.inVain);
    }
    return this.#withStray(check, found, strays.caught.slice(before));
  }

  /** The run goes on when an error escapes; some rule has to say so. */
  async #withStray(check: Check, found: Finding, escaped: readonly unknown[]): Promise<Finding> {
    const says = escapeIds.includes(check.id) || check.id === openingId;
    if (escaped.length === 0 || found.status === "failed" || says) return found;
    for (const id of escapeIds) {
      const { status } = await this.result(ruleOf(id));
      if (status === "failed" || status === "known-failing") return found;
    }
    const message = "An error escapes that nobody can catch: it ends the process.";
    return failed(message, `Checked ${check.id}, or what came before it.`, messageOf(escaped[0]));
  }

  async #release(made: Promise<Subject>): Promise<void> {
    const subject = await made.catch(() => undefined);
    this.#own.delete(made);
    if (subject !== undefined) await closeQuietly(subject, this.#budget);
  }

  #open(): Promise<Subject> {
    if (this.#closed) return Promise.reject(new Error("The run is over."));
    return (this.#shared ??= this.#noted(open(this.manifest, this.#budget)));
  }

  /** Remembers why it could not be made. */
  #noted(made: Promise<Subject>): Promise<Subject> {
    made.catch((error: unknown) => this.#unmade.add(messageOf(error)));
    return made;
  }

  async #holding(manifest: Manifest, ids: readonly string[]): Promise<readonly RuleResult[]> {
    const options = { seed: this.seed, quietMs: this.#quietMs };
    const other = new Session(manifest, options, this.#budget);
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
