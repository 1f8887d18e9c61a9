/** One thing that is wrong with a file, or worth a look. Lines and columns start at 1; columns count characters. */
export interface Finding {
  /** The file, as it is displayed: relative to the folder that was read. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The kind of the finding, in snake_case. Stable, so that tools can filter. */
  readonly code: string;
  /**
   * `error`: there is no such tool, or a part of its script fails when it runs. `warning`: it may do something else than
   * meant.
   */
  readonly severity: "error" | "warning";
  /** One sentence: what is wrong. */
  readonly message: string;
  /** The way to repair it. */
  readonly hint?: string;
}

/** The finding about a folder that was named and is not there. */
export function toMissingFolder(
  folder: string,
  severity: Finding["severity"],
  contents: string,
): Finding {
  return {
    file: folder,
    line: 1,
    column: 1,
    code: "folder_missing",
    severity,
    message: `the folder does not exist, or cannot be read: it has no ${contents}`,
    hint: "Create it, or correct its path.",
  };
}

/** A place in a file. Lines and columns start at 1; columns count characters. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}
