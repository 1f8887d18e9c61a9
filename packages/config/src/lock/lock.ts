import type { JsonSchema, ToolAnnotations } from "@toolweave/core";

/** One tool as it was when a person reviewed it. */
export interface LockedTool {
  /** The id of its source. */
  readonly source: string;
  /** SHA-256 of all of the following, in hexadecimal. */
  readonly hash: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations: ToolAnnotations;
  /**
   * SHA-256 of the program behind the source's name: the command, arguments, names of environment variables and working
   * folder of a program, or the URL. Absent: unknown.
   */
  readonly program?: string;
  /** SHA-256 of the schema that validates arguments, if a model is given less. */
  readonly argumentsHash?: string;
}

/** Tools as they were when a person reviewed them, by name: plain JSON, in the order of the names. */
export interface Lock {
  readonly version: 1;
  readonly tools: Readonly<Record<string, LockedTool>>;
}
