import { useState } from "preact/hooks";
import { Link } from "../navigation/link.tsx";
import { toPath } from "../navigation/routes.ts";
import { formatDuration } from "../text/format.ts";
import { safeLine, safeProse } from "../text/safe-text.ts";
import { Badge } from "../ui/badge.tsx";
import { kindTexts, stateTexts } from "./span-text.ts";
import { isFailed, type SpanNode } from "./span-tree.ts";

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
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Spans as a table">
        <table class="table span-table">
          <thead>
            <tr>
              <th scope="col">Tool</th>
              <th scope="col">Kind</th>
              <th scope="col">State</th>
              <th scope="col" class="number">
                Start
              </th>
              <th scope="col" class="number">
                Duration
              </th>
              <th scope="col">Details</th>
            </tr>
          </thead>
          <tbody>
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
          </tbody>
        </table>
      </div>
      {last > 0 && !isPrinting && (
        <div class="pager">
          <button
            type="button"
            class="button small"
            disabled={current === 0}
            onClick={() => setPage(current - 1)}
          >
            Earlier
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
            Later
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
