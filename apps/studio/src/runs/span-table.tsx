import { useState } from "preact/hooks";
import { Link } from "../navigation/link.tsx";
import { toPath } from "../navigation/routes.ts";
import { formatDuration } from "../text/format.ts";
import { safeLine, safeProse } from "../text/safe-text.ts";
import { Badge } from "../ui/badge.tsx";
import { kindTexts, stateTexts } from "./span-text.ts";
import { isFailed, type SpanNode } from "./span-tree.ts";
import { DataTable } from "../ui/data-table.tsx";

const pageRows = 200;
const maxPrintedRows = 5_000;

/** The content of the waterfall as a table. */
export function SpanTable(props: {
  nodes: readonly SpanNode[];
  /** The beginning of the run. */
  start: number;
  isPrinting: boolean;
}) {
  const { nodes, start, isPrinting } = props;
  const [page, setPage] = useState(0);
  const last = Math.max(0, Math.ceil(nodes.length / pageRows) - 1);
  const current = Math.min(page, last);
  const rows = isPrinting
    ? nodes.slice(0, maxPrintedRows)
    : nodes.slice(current * pageRows, (current + 1) * pageRows);
  return (
    <>
      <DataTable
        label="Spans as a table"
        columns={[
          "Tool",
          "Kind",
          "State",
          { title: "Start", isNumber: true },
          { title: "Duration", isNumber: true },
          "Details",
        ]}
        class="span-table"
      >
        {rows.map(({ span, depth }) => (
          <tr key={span.id}>
            <td style={{ paddingInlineStart: `${Math.min(depth, 12) * 14}px` }}>
              <Link href={toPath("tools", span.tool)} class="mono">
                {safeLine(span.tool)}
              </Link>
            </td>
            <td class="nowrap">
              {kindTexts[span.kind]} {span.attempt ?? ""}
            </td>
            <td>
              <Badge tone={isFailed(span) ? "bad" : span.state === "ok" ? "good" : "warning"}>
                {stateTexts[span.state]}
              </Badge>
            </td>
            <td class="number nowrap">{formatDuration(span.from - start)}</td>
            <td class="number nowrap">
              {span.to === undefined ? "" : formatDuration(span.to - span.from)}
            </td>
            <td class="muted">{details(span)}</td>
          </tr>
        ))}
      </DataTable>
      {last > 0 && !isPrinting && (
        <div class="pager">
          <button
            type="button"
            class="button small"
            disabled={current === 0}
            onClick={() => setPage(current - 1)}
          >
            Previous
          </button>
          <span class="muted">
            page {current + 1} of {last + 1}
          </span>
          <button
            type="button"
            class="button small"
            disabled={current === last}
            onClick={() => setPage(current + 1)}
          >
            Next
          </button>
        </div>
      )}
      {isPrinting && nodes.length > maxPrintedRows && (
        <p>The first {maxPrintedRows.toLocaleString("en")} spans are printed.</p>
      )}
    </>
  );
}

function details({ code, message, rule, reason, by }: SpanNode["span"]): string {
  const parts = [
    code,
    message,
    reason,
    rule === undefined ? undefined : `rule ${rule}`,
    by === undefined ? undefined : `by ${by}`,
  ];
  return safeProse(parts.filter((part) => part !== undefined).join(" · "));
}
