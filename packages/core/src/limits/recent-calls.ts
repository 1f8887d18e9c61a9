import { shortHash } from "../contract/tool-names.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import type { JsonObject } from "../json/json.ts";

/** Number of calls that are searched for repetitions. */
const most = 20;

/**
 * Maximum length of a stored text; of a longer one only the hash is stored, so that a run does not hold large
 * arguments.
 */
const longest = 256;

/** A call among the last ones of its run. */
export interface RecentCall {
  readonly key: string;
  started: boolean;
}

/** The last calls of a run, to find the ones that a model repeats. */
export class RecentCalls {
  /** In order of arrival; calls that have not started are kept in addition to the last 20 that have. */
  readonly #calls: RecentCall[] = [];
  #started = 0;

  /** Number of equal calls among the last 20. */
  repetitions(key: string): number {
    const calls = this.#calls;
    let repetitions = 0;
    for (let index = Math.max(0, calls.length - most); index < calls.length; index++) {
      if (calls[index]?.key === key) repetitions += 1;
    }
    return repetitions;
  }

  add(key: string): RecentCall {
    const call: RecentCall = { key, started: false };
    this.#calls.push(call);
    return call;
  }

  /** Only a call that starts removes an older one: refused calls must not. */
  start(call: RecentCall): void {
    call.started = true;
    this.#started += 1;
    if (this.#started > most) this.remove(this.#calls.find(({ started }) => started) as RecentCall);
  }

  remove(call: RecentCall): void {
    const index = this.#calls.indexOf(call);
    if (index === -1) return;
    this.#calls.splice(index, 1);
    if (call.started) this.#started -= 1;
  }
}

/** Key of equal calls: the tool and its arguments, whatever the order of their keys. */
export function repetitionKey(name: string, args: JsonObject): string {
  const text = canonicalJson(args);
  return text.length > longest ? `${name} ${text.length} ${shortHash(text)}` : `${name} ${text}`;
}
