/** What every tool takes: two numbers. */
export interface Numbers {
  readonly a: number;
  readonly b: number;
}

/** A contender with its 20 tools, ready to be called. */
export interface Prepared {
  /** Parsed arguments, or the JSON text that a model sends. */
  readonly takes: "object" | "text";
  call(tool: string, args: unknown): Promise<unknown>;
  /** The sum in what `call` has answered, however the contender wraps it. */
  sumOf(answer: unknown): unknown;
  /** Throws when what is configured has not worked on each of `calls`. */
  verify?(calls: number): void;
}

/** One way to call a tool, and what its figures stand for. */
export interface Contender {
  readonly name: string;
  /** Whose version is told. */
  readonly package: string;
  readonly schema: "JSON Schema" | "Zod";
  /** Whether arguments of a wrong type are refused; checked before anything is measured. */
  readonly validates: boolean;
  /** What a call pays for. */
  readonly does: string;
  /** Loads the package: only in the process that measures it. */
  readonly prepare: () => Promise<Prepared>;
}
