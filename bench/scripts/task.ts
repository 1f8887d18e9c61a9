import type { JsonValue } from "@toolweave/core";
import type { Call } from "./conversation.ts";

/** One task, and the two ways in which a model works on it. */
export interface Task {
  readonly name: string;
  readonly source: "museum" | "github" | "files";
  /** The user's message. */
  readonly prompt: string;
  /** Calls wait for a person in the middle. */
  readonly asks?: true;
  /** Plan A: plain calls. The code is what the model does in its head; calls of one turn do not need each other. */
  plain(turn: (...calls: readonly Call[]) => Promise<readonly JsonValue[]>): Promise<JsonValue>;
  /** Plan B: the functions whose stubs the model reads first, if it has to, and its scripts. The last one answers. */
  readonly describe?: readonly string[];
  readonly scripts: readonly string[];
}

// oxlint-disable-next-line typescript/no-explicit-any -- results of servers, as a model reads them
export type Read = any;
