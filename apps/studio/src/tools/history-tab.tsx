import type { RunRow } from "@toolweave/console";
import type { Page } from "../api/paged-resource.ts";
import { withQuery } from "../api/client.ts";
import { useResource } from "../api/resource.ts";
import { Link } from "../navigation/link.tsx";
import { toPath } from "../navigation/routes.ts";
import { formatDuration } from "../text/format.ts";
import { safeLine } from "../text/safe-text.ts";
import { Badge } from "../ui/badge.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { callsOf, callStatus } from "./call.ts";
import { CallView } from "./call-view.tsx";
import { TextBlock } from "../ui/text.tsx";

/** The calls of this page and the runs that have called the tool. */
export function HistoryTab({ name }: { name: string }) {
  const calls = callsOf(name).value;
  const runs = useResource<Page<RunRow>>(withQuery("/api/runs", { tool: name, limit: 50 }));
  return (
    <>
      <h2>Calls of this page</h2>
      {calls.length === 0 && <p class="muted">None yet. The tab Call makes one.</p>}
      {calls.map((call) => (
        <details key={call.callId} class="disclosure">
          <summary>
            <RelativeTime time={call.startedAt} /> <Badge>{callStatus(call)}</Badge>
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
            <div class="table-scroll" tabIndex={0} role="region" aria-label="Runs of the tool">
              <table class="table">
                <thead>
                  <tr>
                    <th scope="col">Run</th>
                    <th scope="col">Started</th>
                    <th scope="col" class="number">
                      Duration
                    </th>
                    <th scope="col" class="number">
                      Calls
                    </th>
                    <th scope="col" class="number">
                      Failed
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((run) => (
                    <tr key={run.runId}>
                      <td class="nowrap">
                        <Link class="mono" href={toPath("runs", run.runId)}>
                          {safeLine(run.runId)}
                        </Link>
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
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </>
  );
}
