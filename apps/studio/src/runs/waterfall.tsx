import type { Span } from "@toolweave/console";
import { useMemo, useState } from "preact/hooks";
import { formatDuration } from "../text/format.ts";
import { safeLine } from "../text/safe-text.ts";
import { Icon } from "../ui/icon.tsx";
import { VirtualList, type RowFocus } from "../ui/virtual-list.tsx";
import { OverviewCanvas } from "./overview-canvas.tsx";
import { SpanDetails } from "./span-details.tsx";
import { kindTexts, stateTexts } from "./span-text.ts";
import { isFailed, type SpanNode } from "./span-tree.ts";
import { TimeScale, type TimeRange } from "./time-scale.ts";

/** The spans of a run as bars over time, with an overview of all of them and the details of one. */
export function Waterfall(props: {
  nodes: readonly SpanNode[];
  range: TimeRange;
  gaps: readonly TimeRange[];
  collapsed: ReadonlySet<string>;
  onToggle: (id: string) => void;
  /** The path of a span with its arguments and output. */
  toPayloadPath: (spanId: string) => string;
}) {
  const { nodes, range, gaps, collapsed, onToggle } = props;
  const [zoom, setZoom] = useState<TimeRange>();
  const [selected, setSelected] = useState<string>();
  const view = zoom ?? range;
  const { from, to } = view;
  const full = useMemo(() => new TimeScale(range, gaps), [range.from, range.to, gaps]);
  const scale = useMemo(() => new TimeScale({ from, to }, gaps), [from, to, gaps]);
  const ticks = useMemo(() => scale.ticks(range.from), [scale, range.from]);
  const displayed = useMemo(() => {
    if (zoom === undefined) return nodes;
    return nodes.filter(({ span }) => span.from <= to && (span.to ?? Infinity) >= from);
  }, [nodes, zoom, from, to]);
  const detail =
    selected === undefined ? undefined : nodes.find(({ span }) => span.id === selected)?.span;
  const zoomBy = (factor: number): void => {
    const middle = (from + to) / 2;
    const half = ((to - from) / 2) * factor;
    const next = {
      from: Math.max(range.from, middle - half),
      to: Math.min(range.to, middle + half),
    };
    setZoom(next.from <= range.from && next.to >= range.to ? undefined : next);
  };
  return (
    <div class={detail === undefined ? "waterfall" : "waterfall has-detail"}>
      <div class="waterfall-chart">
        <div class="zoom" role="group" aria-label="Part of the time">
          <button type="button" class="button small" onClick={() => zoomBy(0.5)}>
            Zoom in
          </button>
          <button
            type="button"
            class="button small"
            disabled={zoom === undefined}
            onClick={() => zoomBy(2)}
          >
            Zoom out
          </button>
          <button
            type="button"
            class="button small"
            disabled={zoom === undefined}
            onClick={() => setZoom(undefined)}
          >
            Whole run
          </button>
          <span class="muted">
            {formatDuration(from - range.from)} to {formatDuration(to - range.from)}
          </span>
        </div>
        <OverviewCanvas
          nodes={nodes}
          scale={full}
          end={range.to}
          {...(zoom === undefined ? {} : { zoom })}
          onZoom={setZoom}
        />
        <div class="axis" aria-hidden="true">
          <div class="axis-ticks">
            {ticks.map(({ position, time, isGap }, index) => (
              <span
                key={index}
                class={isGap ? "tick gap" : "tick"}
                style={{ left: `${position * 100}%` }}
              >
                {isGap ? `⋯ ${formatDuration(time)}` : formatDuration(time)}
              </span>
            ))}
          </div>
        </div>
        <VirtualList
          class="span-rows"
          items={displayed}
          rowHeight={28}
          label="Spans"
          getKey={({ span }) => span.id}
          renderRow={(node, focus) => (
            <SpanRow
              node={node}
              focus={focus}
              scale={scale}
              end={range.to}
              isCollapsed={collapsed.has(node.span.id)}
              isSelected={node.span.id === selected}
              onToggle={onToggle}
              onSelect={setSelected}
            />
          )}
        />
      </div>
      {detail !== undefined && (
        <SpanDetails
          span={detail}
          start={range.from}
          payloadPath={props.toPayloadPath(detail.id)}
          onClose={() => setSelected(undefined)}
        />
      )}
    </div>
  );
}

function SpanRow(props: {
  node: SpanNode;
  focus: RowFocus;
  scale: TimeScale;
  end: number;
  isCollapsed: boolean;
  isSelected: boolean;
  onToggle: (id: string) => void;
  onSelect: (id: string) => void;
}) {
  const { node, focus, scale, isCollapsed, onToggle } = props;
  const { span, depth } = node;
  const hasParts = node.hasParts;
  const start = scale.position(span.from);
  const width = scale.position(span.to ?? props.end) - start;
  return (
    <button
      type="button"
      {...focus}
      class="span-row"
      aria-expanded={hasParts ? !isCollapsed : undefined}
      aria-current={props.isSelected ? "true" : undefined}
      onClick={() => props.onSelect(span.id)}
      onKeyDown={(event) => {
        const isOpening = event.key === "ArrowRight" && isCollapsed;
        const isClosing = event.key === "ArrowLeft" && hasParts && !isCollapsed;
        if (!isOpening && !isClosing) return;
        event.preventDefault();
        onToggle(span.id);
      }}
    >
      <span class="span-name" style={{ paddingInlineStart: `${Math.min(depth, 12) * 14}px` }}>
        <span
          class="span-toggle"
          onClick={(event) => {
            if (!hasParts) return;
            event.stopPropagation();
            onToggle(span.id);
          }}
        >
          {hasParts && <Icon name={isCollapsed ? "right" : "down"} />}
        </span>
        <span class={`span-mark ${markClass(span)}`} title={stateTexts[span.state]}>
          {isFailed(span) ? (
            <Icon name="deny" />
          ) : span.kind === "wait" || span.state === "waiting" ? (
            <Icon name="tasks" />
          ) : null}
        </span>
        <span class="span-title">{spanTitle(span)}</span>
        <span class="visually-hidden">
          , {kindTexts[span.kind]}, level {depth + 1}, {stateTexts[span.state]},
        </span>
      </span>
      <span class="span-track">
        <span
          class={`bar ${markClass(span)} ${span.to === undefined ? "open" : ""}`}
          style={{ left: `${start * 100}%`, width: `${width * 100}%` }}
        />
      </span>
      <span class="span-time">
        {span.to === undefined ? stateTexts[span.state] : formatDuration(span.to - span.from)}
      </span>
    </button>
  );
}

function spanTitle(span: Span): string {
  if (span.kind === "call" || span.kind === "task") return safeLine(span.tool);
  if (span.kind === "attempt") return `attempt ${span.attempt ?? ""}`;
  return span.kind === "wait" ? "waits for a person" : "waits before it retries";
}

function markClass(span: Span): string {
  return isFailed(span) ? "failed" : `${span.kind} ${span.state}`;
}
