import { useMemo, useState } from "preact/hooks";
import { ExactNumber, type ExactJson } from "../json/node.ts";
import { fromValue, jsonText } from "../json/write-json.ts";
import { safeLine } from "../text/safe-text.ts";
import { CopyButton } from "./copy-button.tsx";
import { Icon } from "./icon.tsx";
import { jsonRows, previewValue, type JsonRow } from "./json-rows.ts";
import { VirtualList, type RowFocus } from "./virtual-list.tsx";

const rowHeight = 24;
/** The height of a tree that is not taller than this follows its content. */
const maxRows = 24;
const maxScalarLength = 2_000;

/** A JSON value as a tree: nodes are read as they are opened, and only the visible lines are drawn. */
export function JsonView({ value, label }: { value: ExactJson; label: string }) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => jsonRows(value, toggled), [value, toggled]);
  const toggle = (pointer: string): void => {
    const next = new Set(toggled);
    if (!next.delete(pointer)) next.add(pointer);
    setToggled(next);
  };
  return (
    <div class="json-view">
      <div class="json-tools">
        <CopyButton text={() => jsonText(fromValue(value))} label="Copy JSON" />
      </div>
      <div class="json-rows" style={{ height: `${Math.min(rows.length, maxRows) * rowHeight}px` }}>
        <VirtualList
          items={rows}
          rowHeight={rowHeight}
          label={label}
          getKey={({ pointer }) => pointer}
          renderRow={(row, focus) => <Row row={row} focus={focus} onToggle={toggle} />}
        />
      </div>
    </div>
  );
}

function Row(props: { row: JsonRow; focus: RowFocus; onToggle: (pointer: string) => void }) {
  const { row, focus } = props;
  const { name, value, size, isOpen, depth, pointer } = row;
  const indent = { paddingInlineStart: `${depth * 16 + 4}px` };
  const label =
    name === undefined ? null : (
      <>
        <span class={typeof name === "number" ? "json-index" : "json-key"}>
          {typeof name === "number" ? name : safeLine(name)}
        </span>
        <span class="muted">: </span>
      </>
    );
  if (size === undefined) {
    return (
      <div class="json-row" style={indent} {...focus}>
        <span class="json-space" />
        {label}
        <Scalar value={value} />
      </div>
    );
  }
  return (
    <button
      type="button"
      class="json-row"
      style={indent}
      aria-expanded={isOpen}
      {...focus}
      onClick={() => props.onToggle(pointer)}
      onKeyDown={(event) => {
        const opens = event.key === "ArrowRight" && !isOpen;
        const closes = event.key === "ArrowLeft" && isOpen;
        if (!opens && !closes) return;
        event.preventDefault();
        props.onToggle(pointer);
      }}
    >
      <span class="json-space">
        <Icon name={isOpen ? "down" : "right"} />
      </span>
      {label}
      <span class="muted">{safeLine(previewValue(value))}</span>
    </button>
  );
}

function Scalar({ value }: { value: ExactJson }) {
  const kind = value === null ? "null" : value instanceof ExactNumber ? "number" : typeof value;
  const text = previewValue(value);
  const clipped = text.length > maxScalarLength ? `${text.slice(0, maxScalarLength)}…` : text;
  return (
    <span class={`json-${kind}`} title={kind === "string" ? safeLine(clipped) : undefined}>
      {safeLine(clipped)}
    </span>
  );
}
