import type { Awaitable, JsonObject, Tool, ToolSource } from "@toolweave/core";

/** A call that the kit really makes. */
export interface SampleCall {
  /** The tool's name. */
  readonly tool: string;
  /** What its input schema accepts. */
  readonly arguments: JsonObject;
}

/** A call whose effect can be counted: rows written, requests received, files made. */
export interface EffectCall extends SampleCall {
  /** How often the effect has happened so far. Grows with every call that runs. */
  readonly count: () => Awaitable<number>;
}

/** Calls that the kit may make, each any number of times. */
export interface SampleCalls {
  /** Calls that complete without an error. */
  readonly succeedingCalls?: readonly SampleCall[];
  /** Calls that end in an error of the tool itself: a 404, a file that is not there. */
  readonly failingCalls?: readonly SampleCall[];
  /** Calls that take until they are cancelled, or some seconds at least. */
  readonly slowCalls?: readonly SampleCall[];
  /** Calls that change something. */
  readonly effectCalls?: readonly EffectCall[];
}

/** A kind of sample call. */
export type SampleKind = keyof SampleCalls;

/** What an author says of the tools, source or adapter that is to be tested. */
export interface Manifest {
  /** What the report calls it. */
  readonly name: string;
  /** Makes a fresh source, or fresh tools. Called several times; what it gives is closed. */
  readonly create: () => Awaitable<ToolSource | readonly Tool[]>;
  /**
   * Calls to try the tools with. A kind that is missing fails the rules that need it, unless
   * `without` says why there is none. A filtered view keeps the tools that are named here.
   */
  readonly samples?: SampleCalls;
  /** For each kind of sample call that there is none of: why. Its rules are not applicable. */
  readonly without?: Readonly<Partial<Record<SampleKind, string>>>;
  /** The ids of rules that must fail for now, each with the reason. One that holds fails. */
  readonly knownFailing?: Readonly<Record<string, string>>;
  /** What a host supplies to the tools. */
  readonly injected?: Readonly<Record<string, unknown>>;
}
