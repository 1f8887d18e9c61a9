import { ToolError } from "@toolweave/core";

/** Lines of a file that are replaced by others. */
export interface PatchHunk {
  /** Lines behind `@@`: the hunk comes after them, in this order. */
  readonly anchors: readonly string[];
  /** ` `: a line that stays, `-`: one that goes, `+`: one that comes. */
  readonly lines: readonly (readonly [sign: " " | "-" | "+", text: string])[];
  /** The hunk is at the end of the file. */
  readonly isAtEnd: boolean;
}

/** The change of one file by a patch. */
export type PatchOperation =
  | { readonly kind: "add"; readonly path: string; readonly lines: readonly string[] }
  | { readonly kind: "delete"; readonly path: string }
  | {
      readonly kind: "update";
      readonly path: string;
      readonly moveTo?: string;
      /** The hunks of each section of the file. Those of a section begin at the start of the file again. */
      readonly sections: readonly (readonly PatchHunk[])[];
    };

const beginMark = "*** Begin Patch";
const endMark = "*** End Patch";
const fileMark = /^\*\*\* (Add|Delete|Update) File: (.+)$/;
const moveMark = /^\*\*\* Move to: (.+)$/;
const endOfFileMark = "*** End of File";
const maxOperations = 200;

/**
 * Parses a patch in the format of the tool `apply_patch` of Codex. Marks are read only where the format has them: within
 * a file, a line that begins with a space is a line of the file, whatever follows. A here-document around the patch, and
 * empty lines before a mark, are ignored.
 *
 * @throws ToolError `invalid_arguments` for a patch that is not of this format; the text says in which line, and why.
 */
export function parsePatch(patch: string): readonly PatchOperation[] {
  const lines = withoutHereDocument(patch.replace(/\r\n/g, "\n").trim()).split("\n");
  if (withoutStars(lines[0]?.trim()) !== beginMark)
    throw fault(1, `a patch begins with "${beginMark}"`);
  if (withoutStars(lines.at(-1)?.trim()) !== endMark)
    throw fault(lines.length, `a patch ends with "${endMark}"`);
  const reader = new PatchReader(lines.slice(0, -1));
  const operations: PatchOperation[] = [];
  for (reader.skipEmpty(); !reader.isAtEnd; reader.skipEmpty()) {
    addOperation(operations, readOperation(reader));
  }
  if (operations.length === 0) throw fault(2, "the patch changes no file");
  if (operations.length > maxOperations)
    throw fault(1, `a patch changes ${maxOperations} files at most`);
  const paths = operations.flatMap((one) =>
    one.kind === "update" && one.moveTo !== undefined && one.moveTo !== one.path
      ? [one.path, one.moveTo]
      : [one.path],
  );
  const twice = paths.find((path, index) => paths.indexOf(path) !== index);
  if (twice !== undefined) throw fault(1, `the patch names ${twice} twice; make one change of it`);
  return operations;
}

/** A mark without stars at its end, which models write for symmetry. */
function withoutStars(line: string = ""): string {
  return line.trimEnd().replace(/(?<=.) \*\*\*$/, "");
}

function withoutHereDocument(patch: string): string {
  const pattern = /^(?:apply_patch\s+)?<<-?[ \t]*(['"]?)(\w+)\1[ \t]*\n(.*)\n\2$/s;
  return pattern.exec(patch)?.[3]?.trim() ?? patch;
}

/** Adds an operation. Further changes of a file that is updated become a section of its operation. */
function addOperation(operations: PatchOperation[], next: PatchOperation): void {
  const index = operations.findIndex(({ path }) => path === next.path);
  const before = operations[index];
  const isFurther =
    before?.kind === "update" && next.kind === "update" && before.moveTo === undefined;
  if (!isFurther) operations.push(next);
  else operations[index] = { ...next, sections: [...before.sections, ...next.sections] };
}

/** The lines of a patch, one after the other. */
class PatchReader {
  readonly #lines: readonly string[];
  /** The index of the next line: the first one is the mark of the beginning. */
  #at = 1;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#lines.length;
  }

  /** The number of the next line. */
  get number(): number {
    return this.#at + 1;
  }

  get next(): string {
    return this.#lines[this.#at] ?? "";
  }

  /** Whether the next line is one of a file, and no mark. */
  get isInFile(): boolean {
    return !this.isAtEnd && !this.next.startsWith("***");
  }

  /** Skips empty lines, if a mark of a file or the end follows them. Before the end of a file, they are lines of it. */
  skipEmpty(): void {
    let at = this.#at;
    while (this.#lines[at] === "") at += 1;
    const next = this.#lines[at];
    if (next === undefined || (next.startsWith("***") && next.trimEnd() !== endOfFileMark)) {
      this.#at = at;
    }
  }

  /** Skips the lines of white space before a hunk, as Codex does. */
  skipBlank(): void {
    while (!this.isAtEnd && this.next.trim() === "") this.#at += 1;
  }

  take(): string {
    const line = this.next;
    this.#at += 1;
    return line;
  }
}

function readOperation(reader: PatchReader): PatchOperation {
  const { number } = reader;
  const [, kind, path] = fileMark.exec(withoutStars(reader.take().trim())) ?? [];
  if (path === undefined) {
    throw fault(
      number,
      'here "*** Add File: ", "*** Update File: " or "*** Delete File: " and a path is needed',
    );
  }
  if (kind === "Delete") return { kind: "delete", path };
  if (kind === "Add") return { kind: "add", path, lines: readAdded(reader) };
  const moveTo = moveMark.exec(withoutStars(reader.next))?.[1];
  if (moveTo !== undefined) reader.take();
  const hunks: PatchHunk[] = [];
  for (reader.skipBlank(); reader.isInFile; reader.skipBlank()) hunks.push(readHunk(reader));
  if (hunks.length === 0 && moveTo === undefined) throw fault(number, `${path} has no change`);
  return { kind: "update", path, sections: [hunks], ...(moveTo === undefined ? {} : { moveTo }) };
}

function readAdded(reader: PatchReader): readonly string[] {
  const lines: string[] = [];
  for (reader.skipEmpty(); reader.isInFile; reader.skipEmpty()) {
    const { number } = reader;
    const line = reader.take();
    if (!line.startsWith("+")) throw fault(number, 'each line of a new file begins with "+"');
    lines.push(line.slice(1));
  }
  return lines;
}

function readHunk(reader: PatchReader): PatchHunk {
  const { number } = reader;
  const anchors: string[] = [];
  while (/^@@(?: |$)/.test(reader.next.trimEnd())) {
    const anchor = reader.take().trimEnd().slice(3);
    if (anchor !== "") anchors.push(anchor);
  }
  const lines: [" " | "-" | "+", string][] = [];
  while (reader.isInFile && !reader.next.startsWith("@@")) {
    const at = reader.number;
    const line = reader.take();
    const sign = line[0] ?? " ";
    if (sign !== " " && sign !== "-" && sign !== "+") {
      throw fault(at, 'each line of a change begins with " ", "-" or "+"');
    }
    lines.push([sign, line.slice(1)]);
    reader.skipEmpty();
  }
  if (lines.length === 0) throw fault(number, "the change has no lines");
  const isAtEnd = reader.next.trimEnd() === endOfFileMark;
  if (isAtEnd) reader.take();
  return { anchors, lines, isAtEnd };
}

function fault(line: number, what: string): ToolError {
  return new ToolError("invalid_arguments", `The patch is invalid in line ${line}: ${what}.`);
}
