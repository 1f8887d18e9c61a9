import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { ToolError } from "@toolweave/core";
import { checkOptions, parseExact } from "@toolweave/core/adapter";
import type { RecordedEvent, RecordingNotice, RecordingPosition } from "./event-file.ts";
import { readFlags } from "./private-file.ts";
import { storeError, unavailable } from "./store-error.ts";

/** Which part of a recording is read. */
export interface ReadEventsOptions {
  /** Only what was recorded after this one; an event that was read before can be given as it is. */
  readonly after?: RecordingPosition;
  /** Only the events of this run. */
  readonly runId?: string;
}

const optionNames: readonly string[] = [
  "after",
  "runId",
] satisfies readonly (keyof ReadEventsOptions)[];

/** A line of a recording, in bytes from the beginning of the file. */
interface LinePosition {
  readonly start: number;
  /** Where the next line begins. */
  readonly end: number;
}

/** The lines of the last events that were read, so that reading can continue after them without a search. */
const lastLines = new WeakMap<object, LinePosition>();

/** No recorder writes longer ones: other content of the file must not fill the memory. */
const maxLineLength = 33_554_432;

/**
 * Reads what `eventFile` has written, in the order of the file, up to its current end. Notices (`recording.dropped`,
 * `recording.full`) mark missing events. A last line that is still being written, and one that a crash has truncated,
 * are omitted.
 *
 * With `after`, everything that follows the last line of that stream up to that number: also the lines that other
 * recorders have written since, such as that of the process after a restart. If the stream is not in the file, all of
 * the file is read. If it is the last event of an earlier read, the same object, the file is not searched for it.
 *
 * @throws ToolError `store_unavailable` when the file cannot be read, `invalid_configuration` for invalid options.
 */
export async function* readEvents(
  path: string,
  options: ReadEventsOptions = {},
): AsyncGenerator<RecordedEvent | RecordingNotice, void, undefined> {
  checkOptions("readEvents", options, optionNames);
  const { after, runId } = options;
  if (after !== undefined && !(typeof after.stream === "string" && Number.isFinite(after.seq))) {
    throw new ToolError(
      "invalid_configuration",
      "readEvents: after is { stream, seq }, as in an event of it.",
    );
  }
  const file = resolve(path);
  let last: { readonly event: object; readonly position: LinePosition } | undefined;
  try {
    const start = after === undefined ? 0 : await positionAfter(file, after);
    for await (const { line, end } of readLines(file, start)) {
      const event = parsed(line);
      if (event === undefined || !concerns(event, runId)) continue;
      if ("seq" in event) last = { event, position: { start: end - line.length - 1, end } };
      yield event;
    }
  } catch (error) {
    throw storeError(file, error);
  } finally {
    if (last !== undefined) lastLines.set(last.event, last.position);
  }
}

function concerns(event: RecordedEvent | RecordingNotice, runId: string | undefined): boolean {
  if (runId === undefined || event.type.startsWith("recording.")) return true;
  return "runId" in event && event.runId === runId;
}

/** Where the line after the last one of that stream, up to that number, begins. */
async function positionAfter(path: string, after: RecordingPosition): Promise<number> {
  const { stream, seq } = after;
  const known = lastLines.get(after);
  if (known !== undefined && (await isAt(path, known, after))) return known.end;
  let position = 0;
  const name = Buffer.from(JSON.stringify(stream));
  for await (const { line, end } of readLines(path, 0)) {
    // Lines of other streams need not be parsed.
    if (!line.includes(name)) continue;
    const event = parsed(line);
    if (event?.stream === stream && "seq" in event && event.seq <= seq) position = end;
  }
  return position;
}

/** Whether an event is still there: the file may be another one by now. */
async function isAt(
  path: string,
  { start, end }: LinePosition,
  { stream, seq }: RecordingPosition,
): Promise<boolean> {
  const file = await open(path, readFlags);
  try {
    if (!(await file.stat()).isFile()) throw unavailable(path, "is no file: name another path");
    const bytes = Buffer.alloc(end - start);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
    if (bytesRead < bytes.length || bytes.at(-1) !== 10) return false;
    const event = parsed(bytes);
    return event?.stream === stream && "seq" in event && event.seq === seq;
  } finally {
    await file.close();
  }
}

function parsed(line: Buffer): RecordedEvent | RecordingNotice | undefined {
  try {
    const value = parseExact(line.toString("utf8")) as Partial<RecordedEvent> | null;
    const isOurs = typeof value?.stream === "string" && typeof value.type === "string";
    return isOurs ? (value as RecordedEvent) : undefined;
  } catch {
    return undefined;
  }
}

interface LineOfFile {
  readonly line: Buffer;
  /** Where the next one begins. */
  readonly end: number;
}

/** The lines that end in a line break; none that is longer than any recorder writes. */
async function* readLines(path: string, start: number): AsyncGenerator<LineOfFile> {
  let rest: Buffer[] = [];
  let length = 0;
  let position = start;
  for await (const chunk of streamBytes(path, start)) {
    let from = 0;
    for (let to = chunk.indexOf(10); to !== -1; to = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...rest, chunk.subarray(from, to)]);
      const isWhole = length + to - from === line.length;
      rest = [];
      length = 0;
      from = to + 1;
      if (isWhole) yield { line, end: position + from };
    }
    position += chunk.length;
    length += chunk.length - from;
    rest = length > maxLineLength ? [] : [...rest, chunk.subarray(from)];
  }
}

/** The bytes of a recording. A pipe would be waited for, and never end. */
async function* streamBytes(path: string, start: number): AsyncGenerator<Buffer> {
  const file = await open(path, readFlags);
  try {
    if (!(await file.stat()).isFile()) throw unavailable(path, "is no file: name another path");
    yield* file.createReadStream({ start, autoClose: false }) as AsyncIterable<Buffer>;
  } finally {
    await file.close();
  }
}
