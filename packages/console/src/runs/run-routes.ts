import type { ToolExecutor } from "@toolweave/core";
import { unavailableProblem } from "../http/unavailable-problem.ts";
import type { ApiPart } from "../openapi/route.ts";
import { jsonResponse, pageOperation, queryParameter } from "../openapi/schema-parts.ts";
import { getRun, getSpan, listRuns, type RunSources } from "./list-runs.ts";
import type { LiveRuns } from "./live-runs.ts";
import { RecordingIndex, type ConsoleRecording } from "./recording.ts";
import { runSchemas } from "./run-schemas.ts";

const recordingParameter = queryParameter(
  "recording",
  "Only this recording. Default: the runs of this process, then all recordings.",
  { type: "string" },
);

/**
 * The operations on runs.
 *
 * @param live absent, and no recordings: every operation responds with a problem.
 */
export function runRoutes(
  executor: ToolExecutor,
  live: LiveRuns | undefined,
  recordings: readonly ConsoleRecording[] = [],
): ApiPart {
  const sources: RunSources = {
    executor,
    live,
    recordings: recordings.map((recording) => new RecordingIndex(recording)),
  };
  const getSources = (): RunSources => {
    if (live !== undefined || recordings.length > 0) return sources;
    throw unavailableProblem("runs", "runs");
  };
  return {
    tag: "runs",
    schemas: runSchemas,
    routes: [
      {
        method: "GET",
        path: "/api/runs",
        scope: "read",
        operation: {
          operationId: "listRuns",
          summary: "List the runs",
          description: "Runs of this process and of recordings, newest first.",
          ...pageOperation("RunList", [
            queryParameter("tool", "Only runs that called this tool.", { type: "string" }),
            queryParameter("failed", "Only runs with a call that failed or was refused.", {
              type: "boolean",
              default: false,
            }),
            recordingParameter,
          ]),
        },
        handle: ({ query }) => listRuns(getSources(), query),
      },
      {
        method: "GET",
        path: "/api/runs/{id}",
        scope: "read",
        operation: {
          operationId: "getRun",
          summary: "Read a run with its spans",
          parameters: [
            recordingParameter,
            queryParameter("payloads", "With arguments and outputs.", {
              type: "boolean",
              default: true,
            }),
          ],
          responses: { 200: jsonResponse("The run.", "RunDetails") },
        },
        handle: ({ parameters: { id = "" }, query }) => getRun(getSources(), id, query),
      },
      {
        method: "GET",
        path: "/api/runs/{id}/spans/{span}",
        scope: "read",
        operation: {
          operationId: "getSpan",
          summary: "Read a span of a run with its arguments and output",
          parameters: [recordingParameter],
          responses: { 200: jsonResponse("The span.", "Span") },
        },
        handle: ({ parameters: { id = "", span = "" }, query }) =>
          getSpan(getSources(), { runId: id, spanId: span }, query),
      },
    ],
  };
}
