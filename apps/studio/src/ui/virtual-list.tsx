import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { singleKeys } from "../navigation/preferences.ts";
import { listWindow, rowOfKey, scrollToRow } from "./list-window.ts";

/** A list of any length, of which only the visible rows are in the document. */
export interface VirtualListProps<Item> {
  readonly items: readonly Item[];
  /** Pixels. */
  readonly rowHeight: number;
  readonly label: string;
  /** The key of a row, unique in the list. */
  readonly getKey: (item: Item) => string;
  /** The row: one element that can have the focus, with `tabIndex` and `data-row` as given. */
  readonly renderRow: (item: Item, focus: RowFocus, index: number) => ComponentChildren;
  /** The row that is open, which has the focus first. */
  readonly current?: string;
  readonly class?: string;
}

/** The attributes that make a row part of the roving focus. */
export interface RowFocus {
  readonly tabIndex: 0 | -1;
  readonly "data-row": number;
}

/** Draws the visible rows; arrows, `j`, `k`, Home, End and the page keys move the focus. */
export function VirtualList<Item>(props: VirtualListProps<Item>) {
  const { items, rowHeight, getKey } = props;
  const view = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState({ top: 0, height: 800 });
  const [focused, setFocused] = useState(-1);
  const moveFocus = useRef(false);
  const open = props.current;
  const openIndex = open === undefined ? -1 : items.findIndex((item) => getKey(item) === open);
  const active = Math.min(focused >= 0 ? focused : Math.max(0, openIndex), items.length - 1);

  useLayoutEffect(() => {
    const element = view.current;
    if (element === null) return;
    const measure = (): void => {
      setScroll({ top: element.scrollTop, height: element.clientHeight });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const reveal = (index: number): void => {
    const element = view.current;
    if (element === null || index < 0) return;
    const top = scrollToRow(index, rowHeight, element.scrollTop, element.clientHeight);
    if (top !== undefined) {
      element.scrollTop = top;
      setScroll({ top, height: element.clientHeight });
    }
  };

  useLayoutEffect(() => reveal(openIndex), [open]);

  useLayoutEffect(() => {
    if (!moveFocus.current) return;
    moveFocus.current = false;
    view.current?.querySelector<HTMLElement>(`[data-row="${active}"]`)?.focus({
      preventScroll: true,
    });
  });

  const { start, end } = listWindow(items.length, rowHeight, scroll.top, scroll.height);
  const indexes = Array.from({ length: Math.max(0, end - start) }, (_, offset) => start + offset);
  // The row with the focus stays in the document: otherwise the focus would be lost when it scrolls out of view.
  if (focused >= 0 && active >= 0 && (active < start || active >= end)) indexes.push(active);

  return (
    <div
      class={`virtual-list ${props.class ?? ""}`}
      ref={view}
      onScroll={({ currentTarget }) =>
        setScroll({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })
      }
      onKeyDown={(event) => {
        const isLetter = event.key.length === 1;
        if (event.ctrlKey || event.metaKey || event.altKey || (isLetter && !singleKeys.value))
          return;
        const rows = Math.max(1, Math.floor(scroll.height / rowHeight) - 1);
        const next = rowOfKey(event.key, active, items.length, rows);
        if (next === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        reveal(next);
        moveFocus.current = true;
        setFocused(next);
      }}
      onFocusIn={({ target }) => {
        const row = (target as HTMLElement).dataset["row"];
        if (row !== undefined) setFocused(Number(row));
      }}
    >
      <div
        role="list"
        aria-label={props.label}
        class="virtual-rows"
        style={{ height: `${items.length * rowHeight}px` }}
      >
        {indexes.map((index) => {
          const item = items[index] as Item;
          const focus: RowFocus = { tabIndex: index === active ? 0 : -1, "data-row": index };
          return (
            <div
              key={getKey(item)}
              role="listitem"
              class="virtual-row"
              aria-setsize={items.length}
              aria-posinset={index + 1}
              style={{ height: `${rowHeight}px`, transform: `translateY(${index * rowHeight}px)` }}
            >
              {props.renderRow(item, focus, index)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
