import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

/** One tab. */
export interface Tab {
  readonly id: string;
  readonly title: ComponentChildren;
}

/** A list of tabs with the panel of the chosen one (WAI-ARIA, tabs pattern with manual focus order). */
export function Tabs(props: {
  label: string;
  tabs: readonly Tab[];
  current: string;
  onChange: (id: string) => void;
  children: ComponentChildren;
}) {
  const { tabs, current } = props;
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const index = tabs.findIndex(({ id }) => id === current);
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: index + 1,
      ArrowLeft: index - 1 + tabs.length,
      Home: 0,
      End: tabs.length - 1,
    };
    const next = steps[event.key];
    const tab = next === undefined ? undefined : tabs[next % tabs.length];
    if (tab === undefined) return;
    event.preventDefault();
    props.onChange(tab.id);
    list.current?.querySelector<HTMLElement>(`#tab-${tab.id}`)?.focus();
  };
  return (
    <div class="tabs">
      <div role="tablist" aria-label={props.label} class="tablist" ref={list} onKeyDown={move}>
        {tabs.map(({ id, title }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            class="tab"
            aria-selected={id === current}
            aria-controls="tab-panel"
            tabIndex={id === current ? 0 : -1}
            onClick={() => props.onChange(id)}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="tab-panel" class="tab-panel" aria-labelledby={`tab-${current}`}>
        {props.children}
      </div>
    </div>
  );
}
