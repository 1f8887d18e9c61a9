import type { LookupAddress } from "node:dns";

type LookupCallback = (error: Error | null, addresses: readonly LookupAddress[]) => void;

let answers: readonly string[] = [];

/** The names that were looked up since the last `resolveTo`. */
export let asked: string[] = [];

/** Answers each lookup of a name with the next of these addresses, the last one again and again. */
export function resolveTo(...addresses: readonly string[]): void {
  answers = addresses;
  asked = [];
}

/** Stands for `lookup` of `node:dns`. */
export function lookup(name: string, _options: unknown, callback: LookupCallback): void {
  const address = answers[Math.min(asked.length, answers.length - 1)];
  asked.push(name);
  callback(null, address === undefined ? [] : [{ address, family: 4 }]);
}
