import type {
  Answer,
  Awaitable,
  InterruptionRequest,
  JsonObject,
  JsonValue,
  Tool,
  ToolSource,
} from "@toolweave/core";

/** A call that the kit makes. */
export interface SampleCall {
  /** The tool's name. */
  readonly tool: string;
  /** Arguments that the input schema accepts. */
  readonly arguments: JsonObject;
}

/** A call that completes without an error. */
export interface SucceedingCall extends SampleCall {
  /**
   * The reason why its result is another one each time, in more than times and ids: chance, the
   * weather. Rules that compare results with each other leave the call out, and the report names it.
   * Without it, a read-only tool has to return the same result each time.
   */
  readonly varies?: string;
}

/** A call whose effect can be counted: rows written, requests received, files made. */
export interface EffectCall extends SampleCall {
  /**
   * Returns how often the effect has happened so far: one more for every call that runs, however
   * much it writes.
   */
  readonly count: () => Awaitable<number>;
}

/** A call that runs until it is cancelled, or for at least some seconds. */
export interface SlowCall extends SampleCall {
  /**
   * Returns how often the effect has happened so far, for a call that has an effect when it ends.
   */
  readonly count?: () => Awaitable<number>;
  /**
   * Resolves when all calls that were made so far do their work, so that cancelling them now stops
   * something: their processes run. Default: 20 ms after they were made.
   */
  readonly started?: () => Awaitable<void>;
  /**
   * Milliseconds from the start of a call until its effect, up to 60,000. The kit makes the call
   * once without cancelling it, and waits that long after each cancelled one. Default: the kit only
   * waits for its quiet period.
   */
  readonly effectMs?: number;
}

/** A call that waits for a person, and completes when it is answered. */
export interface SuspendingCall extends SampleCall {
  /** Returns the person's answer to one of the requests. */
  readonly answer: (request: InterruptionRequest) => Answer;
  /**
   * Returns how often the effect has happened so far, for a call with an effect: one more for every
   * answered call.
   */
  readonly count?: () => Awaitable<number>;
}

/** A call whose complete output is too large for a model, or binary. */
export interface LargeCall extends SampleCall {
  /** The minimum size of the complete output in bytes, text in UTF-8. */
  readonly bytes: number;
}

/** Calls that the kit may make, each any number of times. */
export interface SampleCalls {
  /** Calls that complete without an error. */
  readonly succeedingCalls?: readonly SucceedingCall[];
  /** Calls that end with an error of the tool itself: a 404, a missing file. */
  readonly failingCalls?: readonly SampleCall[];
  /** Calls that run until they are cancelled, or for at least some seconds. */
  readonly slowCalls?: readonly SlowCall[];
  /** Calls that change something. */
  readonly effectCalls?: readonly EffectCall[];
  /** Calls that wait for a person: for input, a sign-in, the host's result. */
  readonly suspendingCalls?: readonly SuspendingCall[];
  /** Calls that complete, and send updates or progress while they run. */
  readonly updatingCalls?: readonly SampleCall[];
  /** Calls that complete with a large or binary output. */
  readonly largeCalls?: readonly LargeCall[];
}

/** A kind of sample call. */
export type SampleKind = keyof SampleCalls;

/**
 * Makes the backend of the tools unavailable and available again: a server, a database, a network.
 */
export interface Outage {
  /** Makes the backend unavailable. Operations in progress are interrupted. */
  readonly begin: () => Awaitable<void>;
  /** Makes the backend available again. Calls succeed again within the run's deadline. */
  readonly end: () => Awaitable<void>;
  /**
   * Until `end`, lets calls be accepted and carried out, and closes their connections before the
   * response. Without it, the rules about lost responses are not applicable.
   */
  readonly loseAnswers?: () => Awaitable<void>;
}

/** Declarations of a manifest other than sample calls. */
export interface Facilities {
  /**
   * The names of the tools that the kit may call any number of times with all arguments that their
   * schemas accept; `all`: every tool.
   */
  readonly generatedCalls?: "all" | readonly string[];
  /**
   * Returns everything that the tools can change, as JSON: the files of a folder, the rows of a
   * table.
   */
  readonly state?: () => Awaitable<JsonValue>;
  /** Credentials that the source was given and that must never be disclosed. */
  readonly secrets?: readonly string[];
  /**
   * Changes the tools of a source that `create` returned: at least one is added, removed or
   * described differently, and at least one stays. Resolves when the change is in progress. May be
   * called several times for one source.
   */
  readonly change?: (source: ToolSource) => Awaitable<void>;
  /** Makes the backend of the tools unavailable for a while. */
  readonly outage?: Outage;
}

/** A declaration of a manifest; `without` gives the reason for a missing one. */
export type Declaration = SampleKind | keyof Facilities;

/** The description of the tools, the source or the adapter under test. */
export interface Manifest extends Facilities {
  /** The name in the report. */
  readonly name: string;
  /** Creates a new source or new tools. Called many times; the kit closes what it returns. */
  readonly create: () => Awaitable<ToolSource | readonly Tool[]>;
  /**
   * Calls that the kit makes. A missing kind breaks TW-MANIFEST-001, unless `without` gives a
   * reason. A filtered view contains the tools that are named here.
   */
  readonly samples?: SampleCalls;
  /**
   * The reason for each missing declaration; a single string is the reason for all of them. The
   * rules that need a missing declaration are not applicable.
   */
  readonly without?: string | Readonly<Partial<Record<Declaration, string>>>;
  /**
   * The ids of rules that are expected to fail, each with the reason. If such a rule holds, it
   * fails.
   */
  readonly knownFailing?: Readonly<Record<string, string>>;
  /**
   * Creates a source or tools like `create`, with one more tool that is described by this input
   * schema: an operation with this body, or a tool of a server with this schema. The kit may call
   * the tool. Without this function, the rule about unusable schemas is not applicable.
   */
  readonly createWithSchema?: (inputSchema: JsonObject) => Awaitable<ToolSource | readonly Tool[]>;
  /** Values that the host injects into the tools. */
  readonly injected?: Readonly<Record<string, unknown>>;
}

/** Everything that a manifest can declare, with its place in the manifest. */
const declarationPaths: Readonly<Record<Declaration, string>> = {
  succeedingCalls: "samples.succeedingCalls",
  failingCalls: "samples.failingCalls",
  slowCalls: "samples.slowCalls",
  effectCalls: "samples.effectCalls",
  suspendingCalls: "samples.suspendingCalls",
  updatingCalls: "samples.updatingCalls",
  largeCalls: "samples.largeCalls",
  generatedCalls: "generatedCalls",
  state: "state",
  secrets: "secrets",
  change: "change",
  outage: "outage",
};

/** Everything that a manifest can declare. */
export const declarations: readonly Declaration[] = Object.keys(declarationPaths) as Declaration[];

/** The place of a declaration in a manifest: `samples.slowCalls`. */
export function declarationPath(declaration: Declaration): string {
  return declarationPaths[declaration];
}

/** True if the manifest declares it. An empty list declares nothing. */
export function isDeclared(manifest: Manifest, declaration: Declaration): boolean {
  const given = declarationPath(declaration).startsWith("samples.")
    ? manifest.samples?.[declaration as SampleKind]
    : manifest[declaration as Exclude<Declaration, SampleKind>];
  return Array.isArray(given) ? given.length > 0 : given !== undefined;
}

/**
 * The reason that the manifest gives for a missing declaration; `undefined` if it gives none or
 * declares it.
 */
export function absenceReason(manifest: Manifest, declaration: Declaration): string | undefined {
  const { without } = manifest;
  if (typeof without !== "string") return without?.[declaration];
  return isDeclared(manifest, declaration) ? undefined : without;
}
