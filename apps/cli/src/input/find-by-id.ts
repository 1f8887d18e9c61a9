import { nearNames } from "@toolweave/core/adapter";
import { UsageError } from "../process/exit-code.ts";

/** With fewer characters a prefix would be likely to match another entry, once the first is removed. */
const minLength = 6;
const maxListed = 5;

/** The shortest beginning of each id that is no other's, for a person to type. */
export function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = [...ids].sort();
  return new Map(
    sorted.map((id, index) => {
      const shared = [sorted[index - 1], sorted[index + 1]].map((other) => sharedLength(id, other));
      return [id, id.slice(0, Math.max(minLength, ...shared.map((length) => length + 1)))];
    }),
  );
}

/**
 * The one that an id, or the beginning of one, stands for.
 *
 * @param noun what it is, for errors: `grant`.
 * @param why why it may be missing; the end of a sentence.
 * @throws UsageError that names those which may be meant.
 */
export function findById<T>(
  written: string,
  all: readonly T[],
  getId: (one: T) => string,
  noun: string,
  why = "",
): T {
  const ids = all.map(getId);
  const begins = (one: T): boolean => written.length >= minLength && getId(one).startsWith(written);
  const exact = all.filter((one) => getId(one) === written);
  const found = exact.length > 0 ? exact : all.filter(begins);
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  const id = JSON.stringify(written.slice(0, 80));
  if (first !== undefined) {
    throw new UsageError(`${id} matches more than one ${noun}: ${formatIds(found.map(getId))}.`);
  }
  const beginnings = ids.map((id) => id.slice(0, written.length));
  const near = nearNames(written, beginnings, maxListed);
  const meant = ids.filter((_, index) => near.includes(beginnings[index] as string));
  const hint =
    meant.length > 0
      ? ` Did you mean ${formatIds(meant)}?`
      : ids.length > 0
        ? ` There is ${formatIds(ids)}.`
        : "";
  const tooShort = written.length < minLength ? ` Write ${minLength} characters at least.` : "";
  throw new UsageError(`There is no ${noun} with the id ${id}${why}.${hint}${tooShort}`);
}

function formatIds(ids: readonly string[]): string {
  return ids.slice(0, maxListed).join(", ") + (ids.length > maxListed ? ", …" : "");
}

function sharedLength(id: string, other: string | undefined): number {
  if (other === undefined) return 0;
  let length = 0;
  while (length < id.length && id[length] === other[length]) length += 1;
  return length;
}
