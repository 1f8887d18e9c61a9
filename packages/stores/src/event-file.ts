import { randomUUID } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { resolve } from "node:path";
import { ToolError, type ToolEvent } from "@toolweave/core";
import { checkOptions } from "@toolweave/core/adapter";
import { jsonLine, appendFlags, makePrivateFolder } from "./private-file.ts";
import { storeError, unavailable } from "./store-error.ts";

/** How events are recorded. */
export interface EventFileOptions {
  /** Bytes of the file; nothing is recorded in it beyond. Default: 268,435,456 (256 MiB). */
  readonly maxBytes?: number;
}

/** Writes events into a file. It is the listener itself: `executor.on(recorder)`. */
export interface EventFile {
  (event: ToolEvent): void;
  /** Names this recorder in each line that it writes. */
  readonly stream: string;
  /** How many events are missing in the file, because the disk was too slow or the file is full. */
  readonly dropped: number;
  /**
   * Resolves when all events received so far are in the file, except dropped ones.
   *
   * @throws ToolError `store_unavailable` when it cannot be written.
   */
  flush(): Promise<void>;
  /** Flushes and closes; later events are ignored. Idempotent. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const optionNames: readonly string[] = ["maxBytes"] satisfies readonly (keyof EventFileOptions)[];

/** Characters that wait for the disk; what comes when it is more is dropped. */
const maxWaiting = 8_388_608;

/** Characters that are written at once. */
const maxAtOnce = 1_048_576;

/** How long a disk that has failed is left alone, in milliseconds. */
const restMs = 1_000;

/** How far a file grows beyond its limit by saying that it is full, with each restart. */
const maxNotices = 65_536;

const newline = 10;

/**
 * Records events as lines of JSON in a file, made with mode 0600 (a missing folder: 0700). A symbolic link is not
 * followed. `executor.on(eventFile("run.ndjson"))` is all it takes; `readEvents` reads them again.
 *
 * It never disturbs the executor: lines wait in memory for the disk, 8 MiB at most. Events beyond that are dropped, and
 * a line says how many. Once the file has `maxBytes`, a last line says so. The file may be moved away at any time: a
 * new one is begun. Several processes may share it, and a restart appends to it: each line names its recorder
 * (`stream`). An event is with the operating system a moment later and then survives the end of the process; call
 * `flush` or `close` to know when.
 *
 * @throws ToolError `store_unavailable` when the file cannot be opened; `invalid_configuration` for invalid options.
 */
export function eventFile(path: string, options: EventFileOptions = {}): EventFile {
  checkOptions("eventFile", options, optionNames);
  if (typeof path !== "string" || path === "") {
    throw new ToolError(
      "invalid_configuration",
      `eventFile needs a path: eventFile("run.ndjson").`,
    );
  }
  const { maxBytes = 268_435_456 } = options;
  if (!(typeof maxBytes === "number" && maxBytes >= 0)) {
    throw new ToolError(
      "invalid_configuration",
      `eventFile: maxBytes is ${String(maxBytes)}; use 0 or more, in bytes.`,
    );
  }
  const recorder = new Recorder(resolve(path), maxBytes);
  const close = (): Promise<void> => recorder.close();
  return Object.defineProperties((event: ToolEvent): void => recorder.hear(event), {
    stream: { value: recorder.stream, enumerable: true },
    dropped: { get: () => recorder.dropped, enumerable: true },
    flush: { value: () => recorder.flush() },
    close: { value: close },
    [Symbol.asyncDispose]: { value: close },
  }) as EventFile;
}

/** A line that waits for the disk. */
interface Line {
  readonly text: string;
  /** The number of missing events that it reports; `undefined`: it is an event. */
  readonly dropped?: number;
}

class Recorder {
  readonly stream: string = randomUUID();
  dropped = 0;
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #lines: Line[] = [];
  #waiting = 0;
  /** The numbers of lines that were added and written. */
  #added = 0;
  #removed = 0;
  /** Missing events that no line has reported so far. */
  #unreportedDrops = 0;
  #isFull = false;
  #closed = false;
  #writing: Promise<void> | undefined;
  #failure: { readonly error: ToolError; readonly at: number } | undefined;

  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    try {
      makePrivateFolder(path);
      closeSync(openSync(path, appendFlags, 0o600));
    } catch (error) {
      throw storeError(path, error);
    }
  }

  hear(event: ToolEvent): void {
    if (this.#closed) return;
    const text = this.#line(event);
    if (text === undefined || this.#waiting + text.length > maxWaiting) {
      this.dropped++;
      this.#unreportedDrops++;
      return;
    }
    this.#tellDropped();
    this.#add({ text });
    const rests = this.#failure !== undefined && performance.now() < this.#failure.at + restMs;
    if (!rests) void this.#write();
  }

  async flush(): Promise<void> {
    this.#tellDropped();
    const heard = this.#added;
    while (this.#removed < heard) {
      // A write in progress may have begun without the last lines, or with a full disk.
      await this.#writing;
      if (this.#removed >= heard) return;
      await this.#write();
      if (this.#failure !== undefined) throw this.#failure.error;
    }
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.flush();
  }

  #line(event: ToolEvent): string | undefined {
    try {
      return jsonLine({ ...event, stream: this.stream });
    } catch {
      return undefined;
    }
  }

  #notice(type: RecordingNotice["type"], dropped?: number): string {
    const { stream } = this;
    const more = dropped === undefined ? {} : { dropped };
    return jsonLine({ type, stream, time: Date.now(), ...more } satisfies RecordingNotice);
  }

  #tellDropped(): void {
    if (this.#unreportedDrops === 0) return;
    const dropped = this.#unreportedDrops;
    this.#unreportedDrops = 0;
    this.#add({ text: this.#notice("recording.dropped", dropped), dropped });
  }

  #add(line: Line): void {
    this.#lines.push(line);
    this.#added++;
    this.#waiting += line.text.length;
  }

  #remove(count: number): readonly Line[] {
    const removed = this.#lines.splice(0, count);
    this.#removed += count;
    for (const { text } of removed) this.#waiting -= text.length;
    return removed;
  }

  #write(): Promise<void> {
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined));
    return this.#writing;
  }

  /** Never rejects: what could not be written waits for another try. */
  async #writeAll(): Promise<void> {
    // Events of the same turn go into the same write.
    await undefined;
    try {
      while (this.#lines.length > 0) await this.#writeSome();
      this.#failure = undefined;
    } catch (error) {
      this.#failure = { error: storeError(this.#path, error), at: performance.now() };
    }
  }

  async #writeSome(): Promise<void> {
    // Opened each time, so that the file may be moved away.
    const file = await open(this.#path, appendFlags, 0o600);
    try {
      const { size } = await file.stat();
      // A crash, here or in another process, may have cut off the last line.
      const start = (await endsInLine(file, size)) ? "" : "\n";
      const lines = this.#linesWithin(this.#maxBytes - size - start.length);
      if (lines.length > 0) await this.#append(file, start, lines);
      else await this.#dropWaiting(file, start, size);
    } finally {
      await file.close();
    }
  }

  /** The next lines, as bytes: as many as are written at once and have room in the file. */
  #linesWithin(room: number): readonly Buffer[] {
    const most = Math.min(room, maxAtOnce);
    const lines: Buffer[] = [];
    let length = 0;
    for (const { text } of this.#lines) {
      const line = Buffer.from(text);
      length += line.length;
      // A line that is longer than one write is written alone.
      if (length > (lines.length === 0 ? room : most)) break;
      lines.push(line);
    }
    return lines;
  }

  async #append(file: FileHandle, start: string, lines: readonly Buffer[]): Promise<void> {
    this.#isFull = false;
    // One write at the end of the file: lines of several processes never mix.
    const { bytesWritten } = await file.write(Buffer.concat([Buffer.from(start), ...lines]));
    let left = bytesWritten - start.length;
    const cut = lines.findIndex((line) => (left -= line.length) < 0);
    this.#remove(cut === -1 ? lines.length : cut);
    if (cut === -1) return;
    throw unavailable(this.#path, "has no more space on its disk: free some, then call again");
  }

  /** Reports once that the file is full, and drops the waiting lines. */
  async #dropWaiting(file: FileHandle, start: string, size: number): Promise<void> {
    if (!this.#isFull && size <= this.#maxBytes + maxNotices) {
      await file.write(start + this.#notice("recording.full"));
    }
    this.#isFull = true;
    for (const { dropped } of this.#remove(this.#lines.length)) {
      // Events that a notice has reported are counted already.
      if (dropped === undefined) this.dropped++;
      this.#unreportedDrops += dropped ?? 1;
    }
  }
}

async function endsInLine(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return true;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === newline;
}

/** Where in a recording an event is. */
export interface RecordingPosition {
  /** The stream of its recorder: numbers of events begin anew with each executor. */
  readonly stream: string;
  readonly seq: number;
}

/** An event as it was recorded. */
export type RecordedEvent = ToolEvent & RecordingPosition;

/** A recorder's line about itself. */
export interface RecordingNotice {
  /**
   * `recording.dropped`: events are missing before this line. `recording.full`: the file has reached
   * its limit, and nothing follows in it.
   */
  readonly type: "recording.dropped" | "recording.full";
  readonly stream: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** How many events are missing, with `recording.dropped`. */
  readonly dropped?: number;
}
