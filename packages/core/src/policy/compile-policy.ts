import { ToolError } from "../contract/tool-error.ts";
import { checkDefinition, checkExamples } from "./check-definition.ts";
import type {
  PolicyInput,
  PolicyLayerInput,
  PolicyPreset,
  PolicyEffect,
  PolicyFunction,
  PolicyQuestion,
} from "../contract/policy-definition.ts";
import type { PolicyLayer, Decision, PolicySubject } from "./decision.ts";
import { presetNames, presetDecider, type DefaultDecider } from "./presets.ts";
import { RuleLayer } from "./rule-layer.ts";
import { freezeJson } from "../json/clone-json.ts";
import { isThenable, type Awaitable } from "../json/json.ts";

/**
 * Checks a policy and compiles it. It is copied: later changes by the host have no effect.
 *
 * @throws ToolError `invalid_configuration`, which says which rule, what is wrong with it, and what to write.
 */
export function compilePolicy(input: PolicyInput): readonly PolicyLayer[] {
  if (Array.isArray(input) && input.length === 0) {
    throw new ToolError(
      "invalid_configuration",
      "policy is an empty list: leave it out for supervised.",
    );
  }
  return narrowPolicy([], input);
}

/**
 * `layers` with further ones behind them, which can only narrow.
 *
 * @param where what the host calls it, for errors.
 * @throws ToolError `invalid_configuration` as `compilePolicy` does.
 */
export function narrowPolicy(
  layers: readonly PolicyLayer[],
  input: PolicyInput,
  where = "policy",
): readonly PolicyLayer[] {
  const result = [...layers];
  if (!Array.isArray(input)) result.push(layer(input as PolicyLayerInput, where, result.length));
  else {
    for (let index = 0; index < input.length; index++) {
      result.push(layer(input[index] as PolicyLayerInput, `${where}[${index}]`, result.length));
    }
  }
  return result;
}

function layer(input: PolicyLayerInput, where: string, index: number): PolicyLayer {
  const place = index === 0 ? "policy" : `policy[${index}]`;
  if (typeof input === "function") return new FunctionLayer(place, input, index === 0);
  if (isPreset(input)) return new RuleLayer(place, input);
  if (typeof input === "string") {
    throw new ToolError(
      "invalid_configuration",
      `"${String(input)}" is no policy: use readOnly, supervised, autonomous or strict.`,
    );
  }
  const given = checkDefinition(where, input);
  const lacksDefault = given.preset === undefined && given.default === undefined;
  // Stored with the data: a call's stored policy must mean the same in every position.
  const data =
    index === 0 && lacksDefault
      ? Object.freeze({ ...given, preset: "supervised" as const })
      : given;
  checkExamples(where, data);
  return new RuleLayer(data.name ?? place, data);
}

function isPreset(input: unknown): input is PolicyPreset {
  return typeof input === "string" && presetNames.includes(input);
}

/** A policy that host code decides. */
class FunctionLayer implements PolicyLayer {
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
      const answer: unknown = this.#answer(toQuestion(subject));
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

function toQuestion({ entry, permission, caller, arguments: args }: PolicySubject): PolicyQuestion {
  return {
    spec: entry.tool.spec,
    trusted: entry.trusted,
    source: entry.source,
    ...(permission === undefined ? {} : { permission }),
    ...(caller === undefined ? {} : { caller }),
    arguments: freezeJson(args),
  };
}
