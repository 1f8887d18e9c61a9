import { freezeJson } from "../json/clone-json.ts";
import { isThenable, type Awaitable } from "../json/json.ts";
import type { Decision, PolicySubject, PolicyLayer } from "./decision.ts";
import type {
  PolicyEffect,
  PolicyFunction,
  PolicyQuestion,
} from "../contract/policy-definition.ts";
import { presetDecider, type DefaultDecider } from "./presets.ts";

/** A policy that host code decides. */
export class FunctionLayer implements PolicyLayer {
  readonly name: string;
  readonly dependsOnCaller = false;
  readonly hidesNothing = true;
  readonly #answer: PolicyFunction;
  /** Decides when the function has no opinion; absent: left to the layers before. */
  readonly #default: DefaultDecider | undefined;
  readonly #noOpinion: Decision;
  readonly #plain: Readonly<Record<PolicyEffect, Decision>>;

  /** @param first nothing comes before it: where it has no opinion, `supervised` decides. */
  constructor(name: string, answer: PolicyFunction, first: boolean) {
    this.name = name;
    this.#answer = answer;
    this.#default = first ? presetDecider("supervised", name) : undefined;
    this.#noOpinion = this.#decision("allow", "the function has no opinion");
    this.#plain = {
      allow: this.#decision("allow", "the function allows it"),
      ask: this.#decision("ask", "the function asks first"),
      deny: this.#decision("deny", "the function denies it"),
    };
  }

  mayRun(): boolean {
    return true;
  }

  decideByTool(): undefined {
    return undefined;
  }

  decide(subject: PolicySubject): Awaitable<Decision> {
    const decision = this.#ask(subject);
    return isThenable(decision)
      ? decision.then((settled) => settled ?? this.#noOpinion)
      : (decision ?? this.#noOpinion);
  }

  async explain(subject: PolicySubject): Promise<readonly Decision[]> {
    const decision = await this.#ask(subject);
    return decision === undefined ? [] : [decision];
  }

  toJSON(): undefined {
    return undefined;
  }

  #ask(subject: PolicySubject): Awaitable<Decision | undefined> {
    try {
      const answer: unknown = this.#answer(questionOf(subject));
      if (!isThenable(answer)) return this.#read(answer, subject);
      return Promise.resolve(answer)
        .then((settled) => this.#read(settled, subject))
        .catch((cause: unknown) => this.#failed(cause));
    } catch (cause) {
      return this.#failed(cause);
    }
  }

  #read(answer: unknown, { entry, permission }: PolicySubject): Decision | undefined {
    if (answer === undefined) return this.#default?.(entry, permission);
    if (isEffect(answer)) return this.#plain[answer];
    const { effect, reason, ask } = answer as { effect: unknown; reason: unknown; ask: unknown };
    const known =
      isEffect(effect) &&
      (reason === undefined || typeof reason === "string") &&
      (ask === undefined || (ask === "always" && effect === "ask"));
    if (!known) throw new TypeError(`${this.name} answered with something that is no decision.`);
    return {
      ...this.#plain[effect],
      ...(reason === undefined ? {} : { reason }),
      ...(ask === undefined ? {} : { ask }),
    };
  }

  #failed(cause: unknown): Decision {
    return { ...this.#decision("deny", "the function could not decide"), cause };
  }

  #decision(effect: PolicyEffect, what: string): Decision {
    return Object.freeze({
      effect,
      reason: `${this.name}: ${what}`,
      rule: "function",
      layer: this.name,
    });
  }
}

function isEffect(value: unknown): value is PolicyEffect {
  return value === "allow" || value === "ask" || value === "deny";
}

function questionOf({ entry, permission, caller, arguments: args }: PolicySubject): PolicyQuestion {
  return {
    spec: entry.tool.spec,
    trusted: entry.trusted,
    source: entry.source,
    ...(permission === undefined ? {} : { permission }),
    ...(caller === undefined ? {} : { caller }),
    arguments: freezeJson(args),
  };
}
