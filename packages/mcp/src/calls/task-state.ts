import { isObject } from "../schema/schema-keywords.ts";

/** Stands before the state of a task that waits for a person, where a server's own `requestState` would be. */
const mark = "toolweave.task ";

/** A task that a call goes on with. */
export interface TaskState {
  readonly id: string;
  /** Made by the extension of 2026-07-28: it says in `tasks/get` what it asks, and what it came to. */
  readonly isExtension: boolean;
  /** The questions that were answered: a server may repeat them until it has seen the answers. */
  readonly answered: readonly string[];
}

/** The state as a `requestState`: whoever goes on with a round of questions need not know that it is a task's. */
export function writeTaskState(state: TaskState): string {
  return mark + JSON.stringify(state);
}

/** `undefined`: it is a server's own. */
export function readTaskState(requestState: unknown): TaskState | undefined {
  if (typeof requestState !== "string" || !requestState.startsWith(mark)) return undefined;
  try {
    const state: unknown = JSON.parse(requestState.slice(mark.length));
    if (!isObject(state)) return undefined;
    const { id, isExtension, answered } = state;
    if (typeof id !== "string" || !Array.isArray(answered)) return undefined;
    return { id, isExtension: isExtension === true, answered: answered.map(String) };
  } catch {
    return undefined;
  }
}
