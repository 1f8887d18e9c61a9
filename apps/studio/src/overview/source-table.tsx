import type { SourceRow } from "@toolweave/console";
import { Link } from "../navigation/link.tsx";
import { safeLine, safeProse } from "../text/safe-text.ts";
import { Badge, type Tone } from "../ui/badge.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { EmptyState } from "../ui/states.tsx";

const states: Readonly<Record<SourceRow["state"], readonly [string, Tone]>> = {
  ready: ["ready", "good"],
  loading: ["loading", "accent"],
  failed: ["failed", "bad"],
};

/** The sources with their tools and problems. */
export function SourceTable({ sources }: { sources: readonly SourceRow[] }) {
  if (sources.length === 0) {
    return (
      <EmptyState title="There are no sources">
        <p>
          Add MCP servers, OpenAPI documents or modules to <code class="code">toolweave.json</code>,
          then start Studio again.
        </p>
      </EmptyState>
    );
  }
  return (
    <DataTable
      label="Sources"
      columns={[
        "Source",
        "State",
        "Adapter",
        { title: "Tools", isNumber: true },
        { title: "Problems", isNumber: true },
      ]}
    >
      {sources.map((source, index) => (
        // Several sources may have one id.
        <tr key={`${index} ${source.id}`}>
          <td>
            <Link href={`/tools?source=${encodeURIComponent(source.id)}`}>
              {safeLine(source.id)}
            </Link>{" "}
            {!source.trusted && <Badge>not trusted</Badge>}
            {source.message !== undefined && <p class="row-message">{safeProse(source.message)}</p>}
          </td>
          <td>
            <Badge tone={states[source.state][1]}>{states[source.state][0]}</Badge>
          </td>
          <td class="muted nowrap">{safeLine(source.adapter)}</td>
          <td class="number">{source.tools.toLocaleString("en")}</td>
          <td class="number">
            {source.problems === 0 ? (
              <span class="muted">0</span>
            ) : (
              <Link href={`/problems?source=${encodeURIComponent(source.id)}`}>
                {source.problems.toLocaleString("en")}
              </Link>
            )}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}
