/** The arguments of every tool: two numbers. */
export interface Numbers {
  readonly a: number;
  readonly b: number;
}

/** A contender with its 20 tools, ready to be called. */
export interface Prepared {
  /** Parsed arguments, or the JSON text that a model sends. */
  readonly takes: "object" | "text";
  call(tool: string, args: unknown): Promise<unknown>;
  /** The sum in the answer of `call`, however the contender wraps it. */
  readSum(answer: unknown): unknown;
  /** Throws if the configuration has not had its effect on each of `calls`. */
  verify?(calls: number): void;
}

/** One way to call a tool, and the meaning of its figures. */
export interface Contender {
  readonly name: string;
  /** The package whose version is reported. */
  readonly package: string;
  readonly schema: "JSON Schema" | "Zod";
  /** Whether arguments of a wrong type are refused; checked before anything is measured. */
  readonly validates: boolean;
  /** The work that a call includes. */
  readonly does: string;
  /** Loads the package: only in the process that measures it. */
  readonly prepare: () => Promise<Prepared>;
}
