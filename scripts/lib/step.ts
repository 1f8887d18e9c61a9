/** What a step is given. */
export interface StepContext {
  /** The workspace, as an absolute path. */
  readonly root: string;
  /** A folder outside the workspace, removed when the check ends. */
  readonly temp: string;
}

/** How a step went. */
export interface StepResult {
  readonly ok: boolean;
  /** Shown when the step failed. */
  readonly output: string;
  /** A few words for the step's line. */
  readonly note?: string;
}

/** One step of `check`. */
export interface Step {
  readonly name: string;
  /** One line for `--help`. */
  readonly summary: string;
  /** Steps whose result this one uses; they run first. */
  readonly needs?: readonly string[];
  run(context: StepContext): Promise<StepResult>;
}

/** The result of a step that looks for problems: it fails when there are any. */
export function problemsResult(problems: readonly string[], note: string): StepResult {
  return { ok: problems.length === 0, output: problems.join("\n"), note };
}
