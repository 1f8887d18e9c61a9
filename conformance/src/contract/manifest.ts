import type {
  Answer,
  Awaitable,
  InterruptionRequest,
  JsonObject,
  JsonValue,
  Tool,
  ToolSource,
} from "@toolweave/core";

/** A call that the kit really makes. */
export interface SampleCall {
  /** The tool's name. */
  readonly tool: string;
  /** What its input schema accepts. */
  readonly arguments: JsonObject;
}

/** A call whose effect can be counted: rows written, requests received, files made. */
export interface EffectCall extends SampleCall {
  /** How often the effect has happened so far: one more with every call that runs, whatever it writes. */
  readonly count: () => Awaitable<number>;
}

/** A call that takes until it is cancelled, or some seconds at least. */
export interface SlowCall extends SampleCall {
  /** How often its effect has happened so far, when it has one that would come at its end. */
  readonly count?: () => Awaitable<number>;
}

/** A call that waits for a person, and completes when it is answered. */
export interface SuspendingCall extends SampleCall {
  /** What the person says to one of its requests. */
  readonly answer: (request: InterruptionRequest) => Answer;
  /** How often its effect has happened so far, when it has one: one more with every answered call. */
  readonly count?: () => Awaitable<number>;
}

/** A call whose whole output is larger than a model is shown, or binary. */
export interface LargeCall extends SampleCall {
  /** Bytes that the whole output has at least, text in UTF-8. */
  readonly bytes: number;
}

/** Calls that the kit may make, each any number of times. */
export interface SampleCalls {
  /** Calls that complete without an error. */
  readonly succeedingCalls?: readonly SampleCall[];
  /** Calls that end in an error of the tool itself: a 404, a file that is not there. */
  readonly failingCalls?: readonly SampleCall[];
  /** Calls that take until they are cancelled, or some seconds at least. */
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

/** Takes what the tools stand on away, and gives it back: a server, a database, a network. */
export interface Outage {
  /** From here on it cannot be reached; what is under way breaks off. */
  readonly begin: () => Awaitable<void>;
  /** From here on it can be reached again. Calls succeed again within the run's deadline. */
  readonly end: () => Awaitable<void>;
  /**
   * From here on, until `end`, calls are accepted and carried out, and their connections break before
   * the answer. Without it, no rule looks at what becomes of a call whose answer is lost.
   */
  readonly loseAnswers?: () => Awaitable<void>;
}

/** What a manifest may declare beside sample calls. */
export interface Facilities {
  /**
   * The names of tools that the kit may call with whatever their schemas accept, any number of
   * times; `all`: every tool.
   */
  readonly generatedCalls?: "all" | readonly string[];
  /** All that the tools can change, as JSON: the files of a folder, the rows of a table. */
  readonly state?: () => Awaitable<JsonValue>;
  /** What the source was given to keep: credentials that must never come out. */
  readonly secrets?: readonly string[];
  /**
   * Makes a source that `create` gave list other tools than before: at least one is added, removed or
   * described otherwise, and at least one stays. Resolves once the change is under way. May be called
   * several times for one source.
   */
  readonly change?: (source: ToolSource) => Awaitable<void>;
  /** What the tools stand on can be taken away for a while. */
  readonly outage?: Outage;
}

/** Something that a manifest declares, or says in `without` that there is none of. */
export type Declaration = SampleKind | keyof Facilities;

/** What an author says of the tools, source or adapter that is to be tested. */
export interface Manifest extends Facilities {
  /** What the report calls it. */
  readonly name: string;
  /** Makes a fresh source, or fresh tools. Called many times; what it gives is closed. */
  readonly create: () => Awaitable<ToolSource | readonly Tool[]>;
  /**
   * Calls to try the tools with. A kind that is missing breaks TW-MANIFEST-001, unless `without` says
   * why there is none. A filtered view keeps the tools that are named here.
   */
  readonly samples?: SampleCalls;
  /**
   * Why there is none, for each declaration that is missing; one text is the reason for all of them.
   * The rules that need it are not applicable then.
   */
  readonly without?: string | Readonly<Partial<Record<Declaration, string>>>;
  /** The ids of rules that must fail for now, each with the reason. One that holds fails. */
  readonly knownFailing?: Readonly<Record<string, string>>;
  /**
   * Makes what `create` makes, with one more tool that what it adapts describes by this input schema:
   * an operation with this body, a server's tool with this schema. Calls of that tool may be made.
   * Without it, no rule looks at what one unusable schema does to the other tools.
   */
  readonly createWithSchema?: (inputSchema: JsonObject) => Awaitable<ToolSource | readonly Tool[]>;
  /** What a host supplies to the tools. */
  readonly injected?: Readonly<Record<string, unknown>>;
}
