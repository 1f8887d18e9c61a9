import { ToolError } from "../../contract/tool-error.ts";
import type { ToolCall } from "../../contract/tool-call.ts";

/**
 * Number of ids that are remembered at least. A bound, since a run can last as long as its process, and small enough to
 * stay in the cache of the processor: ten times as many cost a call 0.5 µs more.
 */
const minIds = 1_000;

/**
 * The ids that calls have had: those of a run, or those of the calls that one attempt of a tool has made. An id is the
 * key of a call's result, events, audit records and idempotency key, so two calls cannot share one.
 */
export class CallIds {
  // Most runs have one call, which needs no set.
  private first: string | undefined;
  private latest: Set<string> | undefined;
  private earlier: Set<string> | undefined;

  /** Records the id. False: a call has it already. */
  take(id: string): boolean {
    if (this.latest === undefined) {
      if (this.first === id) return false;
      if (this.first === undefined) {
        this.first = id;
        return true;
      }
      this.latest = new Set([this.first]);
    }
    const { size } = this.latest;
    this.latest.add(id);
    if (this.latest.size === size || this.earlier?.has(id) === true) return false;
    if (size >= minIds) {
      this.earlier = this.latest;
      this.latest = new Set();
    }
    return true;
  }

  /** Removes the id of a call that was only checked. */
  release(id: string): void {
    if (this.first === id) this.first = undefined;
    this.latest?.delete(id);
    this.earlier?.delete(id);
  }
}

/** A call as the ids see it. */
interface IdentifiedCall {
  readonly call: ToolCall;
  readonly run: { readonly callIds: CallIds };
  /** The call of the tool that makes this one, with the ids of the calls that the tool has made. */
  readonly parent: { nestedIds: CallIds | undefined } | undefined;
}

/** Takes the id of a call, among the calls of its run or of the tool that makes it. Returns the error if it is taken. */
export function takeCallId({ call, parent, run }: IdentifiedCall): ToolError | undefined {
  const ids = parent === undefined ? run.callIds : (parent.nestedIds ??= new CallIds());
  return ids.take(call.id) ? undefined : repeatedId(call);
}

function repeatedId(call: ToolCall): ToolError {
  return new ToolError(
    "skipped",
    `${call.name} was not run: an earlier call of this run has the id "${call.id.slice(0, 100)}". ` +
      "If it is the same call, the result of that one holds; a call that waits is continued by resume. " +
      "Otherwise, make the call with a new id.",
  );
}
