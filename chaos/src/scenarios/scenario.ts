import type { Violation } from "../history/history.ts";

/** When the load ends: after a time, or once enough operations were done and enough faults have happened. */
export type LoadEnd =
  | { readonly seconds: number }
  | { readonly operations: number; readonly faults: number };

/** How a scenario is run. */
export interface ScenarioRun {
  readonly seed: number;
  readonly end: LoadEnd;
  /** Aborted when the program is interrupted. */
  readonly signal: AbortSignal;
  /** The server of scenarios that do not restart it. Absent: each starts its own. */
  readonly postgresUrl?: string;
}

/** The figures of a run. */
export interface ScenarioResult {
  readonly scenario: string;
  readonly seed: number;
  readonly seconds: number;
  readonly operations: number;
  readonly effects: number;
  /** Processes that were killed. */
  readonly kills: number;
  /** Restarts, stops and other faults of the database or of a process. */
  readonly restarts: number;
  /** Requests to a worker, and statements, whose answer was lost. */
  readonly lostAnswers: number;
  /** Calls whose outcome was reported as unknown. */
  readonly unknowns: number;
  readonly violations: readonly Violation[];
  /** Figures of this scenario alone. */
  readonly details?: Readonly<Record<string, number>>;
}

/** One kind of fault under a load. */
export interface Scenario {
  /** Such as `W1`. */
  readonly id: string;
  readonly summary: string;
  /** Why it cannot run on this machine. Absent, or `undefined`: it can. */
  readonly missing?: () => string | undefined;
  run(run: ScenarioRun): Promise<ScenarioResult>;
}
