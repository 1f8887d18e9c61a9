import type { ToolExecutor } from "@toolweave/core";
import { getPage } from "../http/paging.ts";
import { Problem } from "../http/problem.ts";
import type { LiveRuns } from "./live-runs.ts";
import type { RecordingIndex } from "./recording.ts";
import type { RunDetails, RunRow, Span } from "./span.ts";

/** A page of runs, newest first. */
export interface RunList {
  readonly items: readonly RunRow[];
  /** The `cursor` of the next page. */
  readonly nextCursor?: string;
}

/** The sources of runs. */
export interface RunSources {
  readonly executor: ToolExecutor;
  /** Absent: the host has not asked for the runs of this process. */
  readonly live: LiveRuns | undefined;
  readonly recordings: readonly RecordingIndex[];
}

/** Lists the runs of this process and of all recordings. */
export async function listRuns(sources: RunSources, query: URLSearchParams): Promise<RunList> {
  const { executor, live } = sources;
  const name = query.get("recording");
  const rows: RunRow[] = name === null ? [...(live?.spans.runs() ?? [])] : [];
  const known = new Set(rows.map(({ runId }) => runId));
  for (const recording of selectRecordings(sources, name)) {
    // This process may record its own events.
    for (const row of await recording.runs()) if (!known.has(row.runId)) rows.push(row);
  }
  const page = getPage(query, selectRows(rows, query), toPosition, "newest first");
  const { rows: items, ...next } = page;
  return { items: executor.redact(items), ...next };
}

/** @throws Problem `not_found` */
export async function getRun(
  sources: RunSources,
  runId: string,
  query: URLSearchParams,
): Promise<RunDetails> {
  const withPayloads = readBoolean(query, "payloads", true);
  const run = await findFirst(
    sources,
    query,
    (live) => live.details(runId),
    (recording) => recording.details(runId, withPayloads),
  );
  if (run === undefined) {
    const detail = "There is no run with this id: its events were dropped, or the id is wrong.";
    throw new Problem("not_found", detail);
  }
  return sources.executor.redact(withPayloads ? run : withoutPayloads(run));
}

/** @throws Problem `not_found` */
export async function getSpan(
  sources: RunSources,
  { runId, spanId }: { readonly runId: string; readonly spanId: string },
  query: URLSearchParams,
): Promise<Span> {
  const span = await findFirst(
    sources,
    query,
    (live) => live.span(runId, spanId),
    (recording) => recording.span(runId, spanId),
  );
  if (span === undefined) {
    const detail = "There is no such span: its events were dropped, or an id is wrong.";
    throw new Problem("not_found", detail);
  }
  return sources.executor.redact(span);
}

/** Looks in this process, then in the recordings. */
async function findFirst<Found>(
  sources: RunSources,
  query: URLSearchParams,
  inLive: (live: LiveRuns["spans"]) => Found | undefined,
  inRecording: (recording: RecordingIndex) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const { live } = sources;
  const name = query.get("recording");
  const found = name === null && live !== undefined ? inLive(live.spans) : undefined;
  if (found !== undefined) return found;
  for (const recording of selectRecordings(sources, name)) {
    const recorded = await inRecording(recording);
    if (recorded !== undefined) return recorded;
  }
  return undefined;
}

function selectRecordings(
  { recordings }: RunSources,
  name: string | null,
): readonly RecordingIndex[] {
  if (name === null) return recordings;
  const selected = recordings.filter((recording) => recording.name === name);
  if (selected.length > 0) return selected;
  const names = recordings.map((recording) => recording.name).join(", ");
  throw new Problem(
    "not_found",
    `There is no recording of this name: ${names === "" ? "the server has none" : `the server has ${names}`}.`,
  );
}

function selectRows(rows: readonly RunRow[], query: URLSearchParams): readonly RunRow[] {
  const tool = query.get("tool");
  const onlyFailed = readBoolean(query, "failed", false);
  return rows.filter(
    ({ tools, failed }) => (tool === null || tools.includes(tool)) && (!onlyFailed || failed > 0),
  );
}

function toPosition({ startedAt, runId, recording = "" }: RunRow): { time: number; id: string } {
  return { time: startedAt, id: JSON.stringify([runId, recording]) };
}

function withoutPayloads(run: RunDetails): RunDetails {
  return {
    ...run,
    spans: run.spans.map(({ arguments: _arguments, output: _output, ...span }) => span),
  };
}

/** @throws Problem for a value that is neither `true` nor `false`. */
function readBoolean(query: URLSearchParams, name: string, otherwise: boolean): boolean {
  const value = query.get(name);
  if (value === null) return otherwise;
  if (value === "true" || value === "false") return value === "true";
  throw new Problem("invalid_query", `${name} must be true or false.`);
}
