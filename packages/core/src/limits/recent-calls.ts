import { shortHash } from "../contract/tool-names.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import type { JsonObject } from "../json/json.ts";

/** How far back a repetition is looked for. */
const most = 20;

/** What is longer is not kept, only its hash: a run must not hold on to every large argument. */
const longest = 256;

/** A call among the last ones of its run. */
export interface RecentCall {
  readonly key: string;
  started: boolean;
}

/** The last calls of a run, to find the ones that a model repeats. */
export class RecentCalls {
  /** In order of arrival; those that have not started come on top of the last 20 that have. */
  readonly #calls: RecentCall[] = [];
  #started = 0;

  /** How many of the last 20 are the same call. */
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

  /** Only a call that starts pushes an older one out: refused ones must not make room. */
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

/** What makes two calls the same: the tool and its arguments, whatever the order of their keys. */
export function repetitionKey(name: string, args: JsonObject): string {
  const text = canonicalJson(args);
  return text.length > longest ? `${name} ${text.length} ${shortHash(text)}` : `${name} ${text}`;
}
