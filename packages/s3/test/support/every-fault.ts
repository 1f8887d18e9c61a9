import { ToolError, type Clock, type ClockTimer } from "@toolweave/core";
import type { ArtifactIndex, StoredArtifact } from "@toolweave/core/stores";
import type { S3Artifacts } from "../../src/index.ts";
import { openArtifacts } from "../../src/s3-artifacts.ts";
import { faultyIndex, type IndexFault } from "./faulty-index.ts";
import { testAccount, type S3Fault, type S3Server } from "./s3-server.ts";
import { testArtifact, testKey } from "./test-artifact.ts";

/** Small parts, so that an artifact has several. */
const sizes = { maxPutBytes: 100_000, partBytes: 65_536 };
/** The bytes of an artifact that is written in one request, and of one in parts. */
export const smallSize = 1_000;
export const largeSize = 150_000;
/** More requests, and statements, than a life has. */
const maxSteps = 60;
/** Longer than any lease. */
const leaseMs = 3_600_000;

/** The rows of one case. */
export interface FaultyRun {
  readonly rows: {
    readonly index: ArtifactIndex;
    /** The same rows for the process that writes, if its statements fail. Default: `index`. */
    readonly writer?: ArtifactIndex;
    /** Does the statements that are late. */
    readonly arrive?: () => PromiseLike<void>;
    /** Moves the time of the index. */
    readonly advance: (ms: number) => PromiseLike<void> | void;
    readonly close: () => PromiseLike<void> | void;
  };
}

/** The faults that are tried at every request and at every statement. */
export interface FaultMatrix {
  readonly faults: readonly Omit<S3Fault, "at" | "onSilence">[];
  readonly indexFaults: readonly Omit<IndexFault, "at">[];
  /** Every fault of a request with every one of a statement. Default: one at a time. */
  readonly areCombined?: boolean;
  /** The bytes of the artifacts. Default: one that is written in one request, and one in parts. */
  readonly artifactSizes?: readonly number[];
  /** Only one of as many cases is run. Default: 1. */
  readonly sample?: number;
}

/** Pauses end at once; deadlines end when the test says so. */
export class ManualTimers implements Pick<Clock, "setTimeout" | "clearTimeout"> {
  readonly #maxPauseMs: number;
  readonly #deadlines = new Map<ClockTimer, () => void>();

  /** @param maxPauseMs longer ones are deadlines. */
  constructor(maxPauseMs: number) {
    this.#maxPauseMs = maxPauseMs;
  }

  setTimeout(callback: () => void, ms: number): ClockTimer {
    const timer: ClockTimer = {};
    this.#deadlines.set(timer, callback);
    if (ms <= this.#maxPauseMs) queueMicrotask(() => this.#run(timer));
    return timer;
  }

  clearTimeout(timer: ClockTimer): void {
    this.#deadlines.delete(timer);
  }

  expire(): void {
    for (const timer of [...this.#deadlines.keys()]) this.#run(timer);
  }

  #run(timer: ClockTimer): void {
    const callback = this.#deadlines.get(timer);
    this.#deadlines.delete(timer);
    callback?.();
  }
}

/**
 * Runs the life of two artifacts once for each fault at each step: one is written in one request, and one in parts; both
 * are read and deleted. Then another process reads them, and sweeps after the leases have ended.
 *
 * @returns the rules that did not hold.
 */
export async function everyFault(
  server: S3Server,
  newRows: () => PromiseLike<FaultyRun["rows"]> | FaultyRun["rows"],
  {
    faults,
    indexFaults,
    areCombined = false,
    sample = 1,
    artifactSizes = [smallSize, largeSize],
  }: FaultMatrix,
): Promise<{ readonly broken: readonly string[]; readonly hasEnoughCases: boolean }> {
  const broken: string[] = [];
  let cases = 0;
  const run = async (fault?: S3Fault, indexFault?: IndexFault) => {
    const timers = new ManualTimers(20_000);
    const rows = await newRows();
    server.reset(fault && { ...fault, onSilence: () => timers.expire() });
    const index = faultyIndex(rows.writer ?? rows.index, indexFault);
    try {
      for (const rule of await life({ server, rows, index, timers, artifactSizes })) {
        broken.push(`${describeFault(fault, indexFault)}: ${rule}`);
      }
    } finally {
      await rows.close();
    }
    cases++;
    return { requests: server.requests, operations: index.operations };
  };
  if (areCombined) {
    const { requests, operations } = await run();
    for (const fault of faults) {
      for (const indexFault of indexFaults) {
        for (let at = 1; at <= requests; at++) {
          for (let operation = 1; operation <= operations; operation++) {
            await run({ ...fault, at }, { ...indexFault, at: operation });
          }
        }
      }
    }
    return { broken, hasEnoughCases: cases > requests * operations };
  }
  if (faults.length === 0 && indexFaults.length === 0) await run();
  for (const [kind, fault] of faults.entries()) {
    for (let at = 1 + (kind % sample); at <= maxSteps; at += sample) {
      if ((await run({ ...fault, at })).requests < at) break;
    }
  }
  for (const [kind, fault] of indexFaults.entries()) {
    for (let at = 1 + (kind % sample); at <= maxSteps; at += sample) {
      if ((await run(undefined, { ...fault, at })).operations < at) break;
    }
  }
  return { broken, hasEnoughCases: cases * sample > 5 * (faults.length + indexFaults.length) };
}

function describeFault(fault: S3Fault | undefined, indexFault: IndexFault | undefined): string {
  return [
    fault && `${fault.kind} at request ${fault.at}${fault.persists ? " and later" : ""}`,
    indexFault &&
      `${indexFault.kind} at statement ${indexFault.at}${indexFault.persists ? " and later" : ""}`,
  ]
    .filter((text) => text !== undefined)
    .join(", ")
    .replace(/^$/, "no fault");
}

/** The rules that did not hold. */
async function life({
  server,
  rows,
  index,
  timers,
  artifactSizes,
}: {
  readonly server: S3Server;
  readonly rows: FaultyRun["rows"];
  readonly index: ArtifactIndex;
  readonly timers: ManualTimers;
  readonly artifactSizes: readonly number[];
}): Promise<readonly string[]> {
  const broken: string[] = [];
  const open = (by: ArtifactIndex): S3Artifacts =>
    openArtifacts(
      {
        index: by,
        bucket: "tests",
        region: server.region,
        endpoint: server.origin,
        credentials: testAccount,
        timers,
        key: testKey,
      },
      sizes,
    );
  const store = open(index);
  const all = artifactSizes.map((size, number) => testArtifact(number, size));
  const stored: string[] = [];
  for (const { artifact, data } of all) {
    const put = await outcome(store.put(artifact, data));
    if (put !== "unavailable") stored.push(artifact.key);
    const read = await outcome(store.read(artifact.key, 0, Infinity));
    check("a read artifact is the one that was put", isSame(read, data));
    const part = await outcome(store.read(artifact.key, 10, 500));
    check("a read range is that of the artifact", isSame(part, data.subarray(10, 510)));
  }
  const [first] = all;
  if (first !== undefined) await outcome(store.delete(first.artifact.key));
  server.arrive();
  await rows.arrive?.();
  await store.close();

  const hadMissing = server.fault?.kind === "missing";
  server.fault = undefined;
  const other = open(rows.index);
  for (const { artifact, data } of all) {
    const read = await other.read(artifact.key, 0, Infinity);
    check("another process reads what was put", isSame(read, data));
  }
  for (const { artifact } of all.slice(1)) {
    const isThere = (await other.read(artifact.key, 0, Infinity)) !== undefined;
    check("a stored artifact is there", isThere || hadMissing || !stored.includes(artifact.key));
  }
  // An interrupted write is swept twice.
  for (let sweep = 1; sweep <= 2; sweep++) {
    await rows.advance(leaseMs);
    await other.sweep();
  }
  server.arrive();
  const readable: StoredArtifact[] = [];
  for (const { artifact } of all) {
    const found = await other.head(artifact.key);
    if (found !== undefined) readable.push(found);
  }
  check("no object is without a row", server.objects.size <= readable.length);
  check("no upload is left", server.uploads.size === 0);
  check("no row is without an object", hadMissing || server.objects.size >= readable.length);
  for (const { key } of readable) await other.delete(key);
  check("a deleted artifact leaves nothing", server.objects.size === 0);
  await rows.advance(leaseMs);
  check("no row is left", (await rows.index.takeExpired(10, 1)).length === 0);
  await other.close();
  return broken;

  function check(rule: string, held: boolean): void {
    if (!held) broken.push(rule);
  }
}

/** Absent and unavailable ones differ from nothing. */
function isSame(read: Uint8Array | "unavailable" | undefined, data: Uint8Array): boolean {
  if (read === undefined || read === "unavailable") return true;
  return Buffer.compare(read, data) === 0;
}

async function outcome<T>(work: PromiseLike<T> | T): Promise<T | "unavailable"> {
  try {
    return await work;
  } catch (error) {
    if (ToolError.is(error) && error.code === "store_unavailable") return "unavailable";
    throw error;
  }
}
