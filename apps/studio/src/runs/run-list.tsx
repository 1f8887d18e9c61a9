import type { RunRow } from "@toolweave/console";
import { useState } from "preact/hooks";
import { withQuery } from "../api/client.ts";
import { usePages } from "../api/paged-resource.ts";
import { useReloadOn } from "../api/use-events.ts";
import { queryValue, setQuery } from "../navigation/location.ts";
import { formatDuration } from "../text/format.ts";
import { safeLine, safeProse } from "../text/safe-text.ts";
import { Badge } from "../ui/badge.tsx";
import { PagedList } from "../ui/paged-list.tsx";
import { RunLink } from "../ui/run-link.tsx";
import { ScreenHeader } from "../ui/screen-header.tsx";
import { SearchInput } from "../ui/search-input.tsx";
import { EmptyState } from "../ui/states.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Checkbox } from "../ui/checkbox.tsx";

const runEvents: ReadonlySet<string> = new Set([
  "tool.requested",
  "tool.started",
  "tool.completed",
  "tool.failed",
  "tool.rejected",
  "tool.interrupted",
]);

/** Runs, live and recorded, newest first. */
export function RunList() {
  const tool = queryValue("tool");
  const isFailedOnly = queryValue("failed") === "true";
  const [text, setText] = useState(tool);
  const pages = usePages<RunRow>(
    withQuery("/api/runs", { limit: 100, tool, failed: isFailedOnly }),
  );
  useReloadOn(pages, ({ type }) => runEvents.has(type));
  return (
    <>
      <ScreenHeader title="Runs" detail="What agents and people have called, newest first" />
      <form
        class="search-row"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          setQuery({ tool: text.trim() });
        }}
      >
        <SearchInput
          label="Runs that have called a tool"
          placeholder="Name of a tool, then Enter"
          value={text}
          onInput={(value) => {
            setText(value);
            if (value === "") setQuery({ tool: "" });
          }}
        />
        <Checkbox
          label="Failed only"
          isChecked={isFailedOnly}
          onChange={(isChecked) => setQuery({ failed: isChecked ? "true" : "" })}
        />
      </form>
      <PagedList
        pages={pages}
        empty={
          <EmptyState title={tool === "" && !isFailedOnly ? "There are no runs" : "No run matches"}>
            <p>
              Calls of agents appear here as they happen. Start a gateway with{" "}
              <code class="code">--events FILE</code> to see those of another process.
            </p>
          </EmptyState>
        }
      >
        {(runs) => <RunTable runs={runs} />}
      </PagedList>
    </>
  );
}

function RunTable({ runs }: { runs: readonly RunRow[] }) {
  const isRecorded = runs.some(({ recording }) => recording !== undefined);
  return (
    <DataTable
      label="Runs"
      columns={[
        "Run",
        "State",
        "Tools",
        "Started",
        { title: "Duration", isNumber: true },
        { title: "Calls", isNumber: true },
        ...(isRecorded ? ["From"] : []),
      ]}
    >
      {runs.map((run) => (
        <tr key={`${run.recording ?? ""} ${run.runId}`}>
          <td class="nowrap">
            <RunLink run={run} />
          </td>
          <td>
            <RunState run={run} />
          </td>
          <td class="run-tools muted">{safeProse(run.tools.join(", "))}</td>
          <td class="nowrap">
            <RelativeTime time={run.startedAt} />
          </td>
          <td class="number nowrap">
            {run.endedAt === undefined ? "" : formatDuration(run.endedAt - run.startedAt)}
          </td>
          <td class="number">{run.calls.toLocaleString("en")}</td>
          {isRecorded && (
            <td class="nowrap muted">
              {run.recording === undefined ? "this process" : safeLine(run.recording)}
            </td>
          )}
        </tr>
      ))}
    </DataTable>
  );
}

/** The state of a run in a badge. */
export function RunState({ run }: { run: RunRow }) {
  if (run.waiting > 0) return <Badge tone="warning">{run.waiting} waiting</Badge>;
  if (run.endedAt === undefined) return <Badge tone="accent">running</Badge>;
  if (run.failed > 0) return <Badge tone="bad">{run.failed} failed</Badge>;
  return <Badge tone="good">ended</Badge>;
}
