import { randomUUID } from "node:crypto";
import { linkSync, lstatSync, readdirSync, renameSync, rmSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** A file of records, or one that was moved aside when it was full. */
export interface NumberedFile {
  readonly path: string;
  /** Grows with each file that is begun: from 1. */
  readonly number: number;
}

/**
 * Lists the files of a rotated file, the oldest first: `audit.jsonl.1`, `audit.jsonl.2` and `audit.jsonl` itself, whether
 * it exists or not.
 */
export function listFiles(path: string): readonly NumberedFile[] {
  const rotated = listRotated(path);
  const last = rotated.at(-1);
  // It has got its number, and not lost its name yet.
  if (last !== undefined && isSameFile(path, last.path)) return rotated;
  return [...rotated, { path, number: (last?.number ?? 0) + 1 }];
}

/**
 * Moves a file aside under its number, so that a new one is begun. Several processes may do it at once, and one may end in
 * between: no file is overwritten, and each keeps its content.
 *
 * @param maxRotated how many files with numbers stay; the oldest are deleted.
 */
export function rotateFile(path: string, maxRotated: number): void {
  const rotated = listRotated(path);
  const last = rotated.at(-1);
  const isNamed = last !== undefined && isSameFile(path, last.path);
  const target = isNamed ? last.path : `${path}.${(last?.number ?? 0) + 1}`;
  if (!isNamed && !link(path, target)) return;
  const moved = `${path}.${randomUUID()}.unfinished`;
  try {
    renameSync(path, moved);
  } catch (error) {
    if (isCode(error, "ENOENT")) return;
    throw error;
  }
  // Another process was faster, and what was moved is the file that it has begun.
  if (!isSameFile(moved, target)) keepAsNext(path, moved);
  unlinkSync(moved);
  for (const { path: old } of listRotated(path).slice(0, -maxRotated)) rmSync(old, { force: true });
}

function keepAsNext(path: string, moved: string): void {
  for (;;) {
    const number = (listRotated(path).at(-1)?.number ?? 0) + 1;
    if (link(moved, `${path}.${number}`)) return;
  }
}

/** Returns false if the file is gone, or the name is taken. */
function link(path: string, target: string): boolean {
  try {
    linkSync(path, target);
    return true;
  } catch (error) {
    if (isCode(error, "ENOENT") || isCode(error, "EEXIST")) return false;
    throw error;
  }
}

function listRotated(path: string): readonly NumberedFile[] {
  const folder = dirname(path);
  const start = `${basename(path)}.`;
  return readdirSync(folder)
    .filter((name) => name.startsWith(start) && /^[1-9]\d{0,5}$/.test(name.slice(start.length)))
    .map((name) => ({ path: join(folder, name), number: Number(name.slice(start.length)) }))
    .toSorted((one, other) => one.number - other.number);
}

function isSameFile(path: string, other: string): boolean {
  const [one, two] = [path, other].map((name) => lstatSync(name, { throwIfNoEntry: false }));
  return one !== undefined && one.ino === two?.ino && one.dev === two.dev;
}

function isCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
