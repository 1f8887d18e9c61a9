import type { RunRow } from "@toolweave/console";
import type { Page } from "../api/paged-resource.ts";
import { withQuery } from "../api/client.ts";
import { useResource } from "../api/resource.ts";
import { formatDuration } from "../text/format.ts";
import { RunLink } from "../ui/run-link.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { getCalls, callStatus } from "./call.ts";
import { CallBadge, CallView } from "./call-view.tsx";
import { TextBlock } from "../ui/text.tsx";
import { DataTable } from "../ui/data-table.tsx";

/** The calls of this page and the runs that have called the tool. */
export function HistoryTab({ name }: { name: string }) {
  const calls = getCalls(name).value;
  const runs = useResource<Page<RunRow>>(withQuery("/api/runs", { tool: name, limit: 50 }));
  return (
    <>
      <h2>Calls of this page</h2>
      {calls.length === 0 && <p class="muted">None yet. The tab Call makes one.</p>}
      {calls.map((call) => (
        <details key={call.callId} class="disclosure">
          <summary>
            <RelativeTime time={call.startedAt} /> <CallBadge status={callStatus(call)} />
          </summary>
          <TextBlock text={call.json} />
          <CallView call={call} />
        </details>
      ))}
      <h2>Runs</h2>
      <Loaded resource={runs}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title="No run has called this tool" />
          ) : (
            <DataTable
              label="Runs of the tool"
              columns={[
                "Run",
                "Started",
                { title: "Duration", isNumber: true },
                { title: "Calls", isNumber: true },
                { title: "Failed", isNumber: true },
              ]}
            >
              {items.map((run) => (
                <tr key={`${run.recording ?? ""} ${run.runId}`}>
                  <td class="nowrap">
                    <RunLink run={run} />
                  </td>
                  <td>
                    <RelativeTime time={run.startedAt} />
                  </td>
                  <td class="number">
                    {run.endedAt !== undefined
                      ? formatDuration(run.endedAt - run.startedAt)
                      : run.waiting > 0
                        ? "waiting"
                        : "running"}
                  </td>
                  <td class="number">{run.calls}</td>
                  <td class="number">{run.failed}</td>
                </tr>
              ))}
            </DataTable>
          )
        }
      </Loaded>
    </>
  );
}
