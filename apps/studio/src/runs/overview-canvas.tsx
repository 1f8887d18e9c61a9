import { useEffect, useRef, useState } from "preact/hooks";
import { theme } from "../navigation/preferences.ts";
import { isFailed, type SpanNode } from "./span-tree.ts";
import type { TimeRange, TimeScale } from "./time-scale.ts";

const height = 56;

/**
 * All spans of a run in one picture. To drag over it chooses a part of the time; the zoom buttons do the same without a
 * pointer, and the table has the same content.
 */
export function OverviewCanvas(props: {
  nodes: readonly SpanNode[];
  scale: TimeScale;
  /** The end of spans that have not ended. */
  end: number;
  zoom?: TimeRange;
  onZoom: (range: TimeRange | undefined) => void;
}) {
  const { nodes, scale, end, zoom } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number }>();
  const colours = theme.value;

  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const element = canvas.current;
    if (element === null || width === 0) return;
    draw(element, width, nodes, scale, end);
  }, [nodes, scale, end, width, colours]);

  const place = (event: PointerEvent): number => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
  };
  const chosen =
    drag ??
    (zoom === undefined
      ? undefined
      : { from: scale.position(zoom.from), to: scale.position(zoom.to) });
  return (
    <div
      class="overview"
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ from: place(event), to: place(event) });
      }}
      onPointerMove={(event) => {
        if (drag !== undefined) setDrag({ from: drag.from, to: place(event) });
      }}
      onPointerUp={() => {
        if (drag === undefined) return;
        setDrag(undefined);
        const from = scale.time(Math.min(drag.from, drag.to));
        const to = scale.time(Math.max(drag.from, drag.to));
        props.onZoom(Math.abs(drag.to - drag.from) < 0.005 ? undefined : { from, to });
      }}
    >
      <canvas ref={canvas} class="overview-canvas" />
      {chosen !== undefined && (
        <div
          class="overview-choice"
          style={{
            left: `${Math.min(chosen.from, chosen.to) * 100}%`,
            width: `${Math.abs(chosen.to - chosen.from) * 100}%`,
          }}
        />
      )}
    </div>
  );
}

function draw(
  canvas: HTMLCanvasElement,
  width: number,
  nodes: readonly SpanNode[],
  scale: TimeScale,
  end: number,
): void {
  const ratio = devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.scale(ratio, ratio);
  const style = getComputedStyle(canvas);
  const colour = (name: string): string => resolveColour(canvas, style.getPropertyValue(name));
  const [plain, waiting, failed] = [colour("--accent"), colour("--warning"), colour("--bad")];
  const rowHeight = Math.max(1, Math.min(6, (height - 8) / nodes.length));
  // Failures are drawn last, so that nothing covers them.
  for (const isSecond of [false, true]) {
    // Of a large run, thousands of bars are narrower than a pixel and at the same place.
    const drawn = new Uint8Array(Math.ceil(width + 1) * height);
    for (let index = 0; index < nodes.length; index++) {
      const span = nodes[index]?.span;
      if (span === undefined || isFailed(span) !== isSecond) continue;
      const x = scale.position(span.from) * width;
      const barWidth = Math.max(1, scale.position(span.to ?? end) * width - x);
      const y = 4 + (index / nodes.length) * (height - 8);
      if (barWidth === 1) {
        const pixel = Math.floor(y) * Math.ceil(width + 1) + Math.floor(x);
        if (drawn[pixel] === 1) continue;
        drawn[pixel] = 1;
      }
      context.fillStyle = isSecond ? failed : span.kind === "wait" ? waiting : plain;
      context.fillRect(x, y, barWidth, Math.max(1, rowHeight - 0.5));
    }
  }
}

/** A canvas does not know `light-dark()`: the browser computes the colour of an element. */
function resolveColour(element: HTMLElement, value: string): string {
  element.style.color = value;
  const { color } = getComputedStyle(element);
  element.style.color = "";
  return color;
}
