import type { RunDetails } from "@toolweave/console";
import { useMemo, useState } from "preact/hooks";
import type { JsonValue } from "@toolweave/core";
import { withQuery } from "../api/client.ts";
import { useResource } from "../api/resource.ts";
import { useReloadOn } from "../api/use-events.ts";
import { requestExactJson } from "./request-exact-json.ts";
import { Link } from "../navigation/link.tsx";
import { queryValue, setQuery } from "../navigation/location.ts";
import { formatCount, formatDuration, formatTime } from "../text/format.ts";
import { safeLine } from "../text/safe-text.ts";
import { Badge } from "../ui/badge.tsx";
import { Icon } from "../ui/icon.tsx";
import { JsonView } from "../ui/json-view.tsx";
import { ScreenHeader } from "../ui/screen-header.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { RunState } from "./run-list.tsx";
import { SpanFilters } from "./span-filters.tsx";
import { SpanTable } from "./span-table.tsx";
import { buildSpanTree, filterSpans } from "./span-tree.ts";
import { Waterfall } from "./waterfall.tsx";

const tabs = [
  { id: "waterfall", title: "Waterfall" },
  { id: "table", title: "Table" },
  { id: "raw", title: "Raw" },
];

/** One run: its spans as a waterfall, as a table and as they are. */
export function RunPage({ id }: { id: string }) {
  // Arguments and outputs are read with the span that is opened.
  const isRaw = queryValue("tab") === "raw";
  const payloads = isRaw ? undefined : "false";
  const path = withQuery(toRunPath(id), { recording: queryValue("recording"), payloads });
  const resource = useResource<RunDetails>(path, isRaw ? requestExactJson : undefined);
  useReloadOn(resource, (event) => event.runId === id || event.type === "events.dropped");
  return (
    <div class="run-page">
      <Link href="/runs" class="back-link">
        <Icon name="left" /> All runs
      </Link>
      <Loaded resource={resource}>{(run) => <Content run={run} />}</Loaded>
    </div>
  );
}

function Content({ run }: { run: RunDetails }) {
  const tree = useMemo(() => buildSpanTree(run.spans), [run.spans]);
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const query = queryValue("q");
  const isFailedOnly = queryValue("failed") === "true";
  const nodes = useMemo(
    () => filterSpans(tree, { query, isFailedOnly, collapsed }),
    [tree, query, isFailedOnly, collapsed],
  );
  const [isPrinting, setPrinting] = useState(false);
  const chosen = queryValue("tab");
  const current = tabs.some((tab) => tab.id === chosen) ? chosen : "waterfall";
  const end = run.endedAt ?? lastTime(run);
  const print = (): void => {
    setQuery({ tab: "table" });
    setPrinting(true);
    // The table is in the document after the next frame.
    requestAnimationFrame(() =>
      setTimeout(() => {
        globalThis.print();
        setPrinting(false);
      }, 50),
    );
  };
  const toggle = (id: string): void => {
    const next = new Set(collapsed);
    if (!next.delete(id)) next.add(id);
    setCollapsed(next);
  };
  return (
    <>
      <ScreenHeader
        title={<span class="mono">{safeLine(run.runId)}</span>}
        detail={`${formatTime(run.startedAt)}, ${formatDuration(end - run.startedAt)}, ${formatCount(run.calls, "call")}`}
        actions={
          <button type="button" class="button" onClick={print}>
            Print
          </button>
        }
      />
      <div class="badges">
        <RunState run={run} />
        {run.recording !== undefined && <Badge>recording {safeLine(run.recording)}</Badge>}
        {run.missingEvents > 0 && (
          <Badge tone="warning" icon="problems">
            {formatCount(run.missingEvents, "event")} missing: times may be wrong
          </Badge>
        )}
      </div>
      <Tabs
        label="Views of the run"
        tabs={tabs}
        current={current}
        onChange={(id) => setQuery({ tab: id === "waterfall" ? "" : id })}
      >
        {current !== "raw" && (
          <SpanFilters displayed={nodes.length} total={tree.length} hasGaps={run.gaps.length > 0} />
        )}
        {current !== "raw" && nodes.length === 0 && (
          <EmptyState title={tree.length === 0 ? "The run has no calls yet" : "No span matches"} />
        )}
        {current === "waterfall" && nodes.length > 0 && (
          <Waterfall
            nodes={nodes}
            range={{ from: run.startedAt, to: end }}
            gaps={queryValue("gaps") === "open" ? [] : run.gaps}
            collapsed={collapsed}
            onToggle={toggle}
            toPayloadPath={(spanId) =>
              withQuery(`${toRunPath(run.runId)}/spans/${encodeURIComponent(spanId)}`, {
                recording: run.recording,
              })
            }
          />
        )}
        {current === "table" && nodes.length > 0 && (
          <SpanTable nodes={nodes} start={run.startedAt} isPrinting={isPrinting} />
        )}
        {current === "raw" && (
          <JsonView value={run as unknown as JsonValue} label="The run as JSON" />
        )}
      </Tabs>
    </>
  );
}

function toRunPath(id: string): string {
  return `/api/runs/${encodeURIComponent(id)}`;
}

/** The last time in a run that has not ended. */
function lastTime({ spans, startedAt }: RunDetails): number {
  return spans.reduce((last, { from, to }) => Math.max(last, to ?? from), startedAt);
}
