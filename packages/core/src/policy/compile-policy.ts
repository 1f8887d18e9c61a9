import { checkOptions } from "../contract/check-options.ts";
import { ToolError } from "../contract/tool-error.ts";
import { checkDefinition, checkExamples } from "./check-definition.ts";
import type {
  PolicyInput,
  PolicyLayerInput,
  PolicyPreset,
  PolicyEffect,
  PolicyFunction,
  PolicyGlobs,
  PolicyQuestion,
  SourcePolicy,
} from "../contract/policy-definition.ts";
import { checkGlobs, checkText, misuse } from "./conditions/check-values.ts";
import { globTest } from "./conditions/globs.ts";
import { noOpinion, type PolicyLayer, type Decision, type PolicySubject } from "./decision.ts";
import {
  needsDecider,
  presetNames,
  presetDecider,
  withNeeds,
  type DefaultDecider,
} from "./presets.ts";
import { RuleLayer } from "./rule-layer.ts";
import { freezeJson } from "../json/clone-json.ts";
import { isThenable, type Awaitable } from "../json/json.ts";
import type { RegisteredTool } from "../contract/tool.ts";

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
  const layers = narrowPolicy([], input);
  // Other tools need a policy, too.
  return layers.every(isForSources) ? narrowPolicy(layers, {}) : layers;
}

function isForSources({ sources }: PolicyLayer): boolean {
  return sources !== undefined;
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
  if (!Array.isArray(input)) result.push(layer(input as PolicyLayerInput, where, result));
  else {
    for (let index = 0; index < input.length; index++) {
      result.push(layer(input[index] as PolicyLayerInput, `${where}[${index}]`, result));
    }
  }
  return result;
}

function layer(
  input: PolicyLayerInput,
  where: string,
  before: readonly PolicyLayer[],
): PolicyLayer {
  const own = `policy[${before.length}]`;
  if (typeof input === "object" && input !== null && "decide" in input) {
    return sourceLayer(input, where, own);
  }
  const isFirst = before.every(isForSources);
  const place = isFirst ? "policy" : own;
  const make = toLayer(input, where, place);
  const layer = make(isFirst);
  if (isFirst && before.length > 0) layer.withoutDefault = make(false);
  return layer;
}

/** Checks a policy, and returns its layer as the first one, or behind others. */
function toLayer(
  input: Exclude<PolicyLayerInput, SourcePolicy>,
  where: string,
  place: string,
): (isFirst: boolean) => PolicyLayer {
  if (typeof input === "function") return (isFirst) => new FunctionLayer(place, input, isFirst);
  if (isPreset(input)) return (isFirst) => new RuleLayer(place, input, isFirst);
  if (typeof input === "string") {
    throw new ToolError(
      "invalid_configuration",
      `"${String(input)}" is no policy: use readOnly, supervised, autonomous or strict.`,
    );
  }
  const given = checkDefinition(where, input);
  const lacksDefault = given.preset === undefined && given.default === undefined;
  // Stored with the data: a call's stored policy must mean the same in every position.
  checkExamples(where, given);
  const { name = place } = given;
  return (isFirst) =>
    new RuleLayer(
      name,
      isFirst && lacksDefault ? Object.freeze({ ...given, preset: "supervised" as const }) : given,
      isFirst,
    );
}

function sourceLayer(input: SourcePolicy, where: string, place: string): PolicyLayer {
  checkOptions(where, input, ["name", "sources", "decide"]);
  const { name = place, sources, decide } = input;
  checkText(`${where}.name`, name);
  checkGlobs(`${where}.sources`, sources);
  if (typeof decide !== "function") throw misuse(`${where}.decide`, "is no function: write one");
  const copied = typeof sources === "string" ? sources : [...sources];
  return new FunctionLayer(name, decide, false, copied);
}

function isPreset(input: unknown): input is PolicyPreset {
  return typeof input === "string" && presetNames.includes(input);
}

/** A policy that host code decides. */
class FunctionLayer implements PolicyLayer {
  readonly name: string;
  readonly dependsOnCaller = false;
  readonly hidesNothing = true;
  withoutDefault?: PolicyLayer;
  readonly sources: PolicyGlobs | undefined;
  readonly #answer: PolicyFunction;
  /** Decides when the function has no opinion; absent: left to the other layers. */
  readonly #default?: DefaultDecider;
  readonly #isFor: (source: string) => boolean;
  readonly #plain: Readonly<Record<PolicyEffect, Decision>>;

  /**
   * @param isFirst where it has no opinion, `supervised` decides.
   * @param sources the sources about whose tools alone it decides.
   */
  constructor(name: string, answer: PolicyFunction, isFirst: boolean, sources?: PolicyGlobs) {
    this.name = name;
    this.#answer = answer;
    this.sources = sources;
    if (isFirst) this.#default = withNeeds(needsDecider(name), presetDecider("supervised", name));
    this.#isFor = globTest(sources);
    this.#plain = {
      allow: this.#decision("allow", "the function allows it"),
      ask: this.#decision("ask", "the function asks first"),
      deny: this.#decision("deny", "the function denies it"),
    };
  }

  mayRun(): boolean {
    return true;
  }

  decideByTool({ source }: RegisteredTool): Decision | undefined {
    return this.#isFor(source) ? undefined : noOpinion;
  }

  decide(subject: PolicySubject): Awaitable<Decision> {
    return this.#isFor(subject.entry.source) ? this.#ask(subject) : noOpinion;
  }

  async explain(subject: PolicySubject): Promise<readonly Decision[]> {
    const decision = await this.decide(subject);
    return decision === noOpinion ? [] : [decision];
  }

  toJSON(): undefined {
    return undefined;
  }

  #ask(subject: PolicySubject): Awaitable<Decision> {
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

  #read(answer: unknown, { entry, permission }: PolicySubject): Decision {
    if (answer === undefined) return this.#default?.(entry, permission) ?? noOpinion;
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
