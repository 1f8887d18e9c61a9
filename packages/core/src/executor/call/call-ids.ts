import { ToolError } from "../../contract/tool-error.ts";
import type { ToolCall } from "../../contract/tool-call.ts";

/**
 * Number of ids that are remembered at least. A bound, since a run can last as long as its process, and small enough to
 * stay in the cache of the processor: ten times as many cost a call 0.5 µs more.
 */
const minIds = 1_000;

/**
 * The ids that calls have had, and how many had each: those of a run, or those of the calls that one attempt of a tool
 * has made.
 */
export class CallIds {
  // Most runs have one call, which needs no map.
  private first: string | undefined;
  private latest: Map<string, number> | undefined;
  private earlier: Map<string, number> | undefined;

  /** Records the id. Returns the number of earlier calls that had it. */
  take(id: string): number {
    if (this.latest === undefined) {
      if (this.first === undefined) {
        this.first = id;
        return 0;
      }
      this.latest = new Map([[this.first, 1]]);
    }
    const before = this.latest.get(id) ?? this.earlier?.get(id) ?? 0;
    this.latest.set(id, before + 1);
    if (this.latest.size > minIds) {
      this.earlier = this.latest;
      this.latest = new Map();
    }
    return before;
  }

  /** Removes the id of a call that was only checked. */
  release(id: string): void {
    if (this.latest === undefined) {
      if (this.first === id) this.first = undefined;
      return;
    }
    const count = this.#count(id);
    if (count > 1) return void this.latest.set(id, count - 1);
    this.latest.delete(id);
    this.earlier?.delete(id);
  }

  #count(id: string): number {
    return this.latest?.get(id) ?? this.earlier?.get(id) ?? 0;
  }
}

/** A call as the ids see it. */
interface IdentifiedCall {
  readonly call: ToolCall;
  readonly run: { readonly callIds: CallIds; readonly durable: object | undefined };
  /** The call of the tool that makes this one, with the ids of the calls that the tool has made. */
  readonly parent: { nestedIds: CallIds | undefined } | undefined;
  /** The number of earlier calls of the run that had its id. */
  earlierWithId?: number;
}

/**
 * Takes the id of a call, among the calls of its run or of the tool that makes it. A model may number its calls anew in
 * each response, and cannot choose another id: its call runs. In a durable run, and below a tool, the same id means the
 * same call, made again.
 *
 * @returns the error if the call may not have the id of an earlier one.
 */
export function takeCallId(execution: IdentifiedCall): ToolError | undefined {
  const { call, parent, run } = execution;
  const earlier = recordCallId(execution);
  if (earlier === 0) return undefined;
  if (parent !== undefined || run.durable !== undefined) return repeatedId(call);
  execution.earlierWithId = earlier;
  return undefined;
}

/** Records the id of a call that may have it. Returns the number of earlier calls that had it. */
export function recordCallId({ call, parent, run }: IdentifiedCall): number {
  const ids = parent === undefined ? run.callIds : (parent.nestedIds ??= new CallIds());
  return ids.take(call.id);
}

function repeatedId(call: ToolCall): ToolError {
  return new ToolError(
    "skipped",
    `${call.name} was not run: an earlier call of this run has the id "${call.id.slice(0, 100)}". ` +
      "If it is the same call, the result of that one holds; a call that waits is continued by resume. " +
      "Otherwise, make the call with a new id.",
  );
}
