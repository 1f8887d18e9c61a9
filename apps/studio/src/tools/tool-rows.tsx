import type { ToolRow } from "@toolweave/console";
import { Link } from "../navigation/link.tsx";
import { setQuery } from "../navigation/location.ts";
import { toPath } from "../navigation/routes.ts";
import { safeLine, safeProse } from "../text/safe-text.ts";
import { Badge, EffectBadge } from "../ui/badge.tsx";
import { EmptyState } from "../ui/states.tsx";
import { VirtualList, type RowFocus } from "../ui/virtual-list.tsx";

const accessTexts = { read: "reads", write: "writes", destructive: "destroys" } as const;

/** The tools that the filter has left. */
export function ToolRows(props: { rows: readonly ToolRow[]; isEmpty: boolean; current?: string }) {
  if (props.isEmpty) {
    return (
      <EmptyState title="There are no tools">
        <p>
          Add a source to the configuration, then start again.{" "}
          <Link href="/problems">Problems</Link> tells why a source has none.
        </p>
      </EmptyState>
    );
  }
  if (props.rows.length === 0) {
    return (
      <EmptyState title="No tool matches">
        <p>Use fewer words, or choose all sources, decisions and states.</p>
        <button
          type="button"
          class="button"
          onClick={() => setQuery({ source: "", effect: "", state: "" })}
        >
          Remove the choices
        </button>
      </EmptyState>
    );
  }
  return (
    <VirtualList
      class="tool-rows"
      items={props.rows}
      rowHeight={52}
      label="Tools"
      getKey={({ name }) => name}
      renderRow={(row, focus) => (
        <Row row={row} focus={focus} isOpen={row.name === props.current} />
      )}
      {...(props.current === undefined ? {} : { current: props.current })}
    />
  );
}

function Row({ row, focus, isOpen }: { row: ToolRow; focus: RowFocus; isOpen: boolean }) {
  return (
    <Link
      {...focus}
      href={toPath("tools", row.name) + location.search}
      class="row-link tool-row"
      aria-current={isOpen ? "true" : undefined}
    >
      <span class="tool-names">
        <span class="tool-name">{safeLine(row.name)}</span>
        <span class="tool-line">{safeProse(row.line)}</span>
      </span>
      <span class="tool-source">{safeLine(row.source)}</span>
      <span class="tool-access">{row.access === undefined ? "" : accessTexts[row.access]}</span>
      <span class="tool-effect">
        {row.unavailable === undefined ? (
          <EffectBadge effect={row.effect} />
        ) : (
          <Badge icon="stop">unavailable</Badge>
        )}
      </span>
    </Link>
  );
}
