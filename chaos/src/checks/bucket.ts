import type { BucketRow, BucketState, History, Violation } from "../history/history.ts";

/**
 * I8, for artifacts in a bucket after everything was swept: no object and no part is without a row, no row is without its
 * object, and every artifact is whole. An artifact whose object was deleted behind the store's back is missing.
 */
export function checkBucket({
  bucket,
  deletedArtifacts,
}: Pick<History, "bucket" | "deletedArtifacts">): readonly Violation[] {
  if (bucket === undefined) return [];
  const deleted = new Set(deletedArtifacts);
  const sizes = new Map(bucket.objects.map(({ name, content }) => [name, content.byteLength]));
  const texts = [
    ...withoutRow(bucket),
    ...bucket.rows.flatMap(
      (row) => describeRow(row, sizes.get(row.object), deleted.has(row.key)) ?? [],
    ),
    ...bucket.miscounted,
  ];
  return texts.map((text) => ({ invariant: "I8", text }));
}

function withoutRow({ rows, objects, parts }: BucketState): readonly string[] {
  const known = rows.map(({ object }) => object);
  const names = new Set(known);
  return [
    ...objects
      .filter(({ name }) => !names.has(name))
      .map(({ name }) => `The object ${name} has no row.`),
    ...parts
      .filter((part) => !known.some((object) => part.startsWith(object)))
      .map((part) => `The part ${part} of an upload has no row.`),
  ];
}

/**
 * Describes the problem of a row; `undefined`: it has none.
 *
 * @param stored the bytes of its object; `undefined`: there is none.
 */
function describeRow(
  { key, state, bytes, found }: BucketRow,
  stored: number | undefined,
  isDeleted: boolean,
): string | undefined {
  if (state !== "ready") return `The row of the artifact ${key} is ${state}, and was not removed.`;
  if (isDeleted) {
    return stored === undefined && found === "missing"
      ? undefined
      : `The object of the artifact ${key} was deleted, and it is ${found}.`;
  }
  if (stored === undefined) return `The artifact ${key} has a row without an object.`;
  if (stored !== bytes) {
    return `The object of the artifact ${key} has ${stored} bytes of ${bytes}.`;
  }
  return found === "whole" ? undefined : `The artifact ${key} is ${found}.`;
}
