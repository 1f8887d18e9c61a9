import { useMemo, useState } from "preact/hooks";
import { toolList } from "../api/live.ts";
import { queryValue, setQuery } from "../navigation/location.ts";
import { Loaded } from "../ui/states.tsx";
import { ScreenHeader } from "../ui/screen-header.tsx";
import { formatCount } from "../text/format.ts";
import { ModelSearch } from "./model-search.tsx";
import { filterTools, indexTools, type ToolFilter } from "./tool-filter.ts";
import { ToolFilters } from "./tool-filters.tsx";
import { ToolPage } from "./tool-page.tsx";
import { ToolRows } from "./tool-rows.tsx";
import type { ToolList } from "../contract/contract.ts";
import "./tools.css";

/** The list of all tools, with the page of one beside it. */
export function ToolsScreen({ id }: { id?: string }) {
  return (
    <div class={id === undefined ? "split" : "split has-detail"}>
      <section class="split-list" aria-label="Tools">
        <Loaded resource={toolList}>
          {(list) => <ToolBrowser list={list} {...(id === undefined ? {} : { current: id })} />}
        </Loaded>
      </section>
      {id !== undefined && (
        <section class="split-detail" aria-label="Tool">
          <ToolPage key={id} name={id} />
        </section>
      )}
    </div>
  );
}

let queryTimer: ReturnType<typeof setTimeout> | undefined;

function ToolBrowser({ list, current }: { list: ToolList; current?: string }) {
  const index = useMemo(() => indexTools(list.items), [list]);
  // The address follows later: browsers limit how often it may change.
  const [query, setText] = useState(() => queryValue("q"));
  const filter: ToolFilter = {
    query,
    source: queryValue("source"),
    effect: queryValue("effect"),
    state: queryValue("state"),
  };
  const { source, effect, state } = filter;
  const isModelSearch = queryValue("find") === "model";
  const rows = useMemo(
    () => filterTools(index, { query, source, effect, state }),
    [index, query, source, effect, state],
  );
  const changeQuery = (text: string): void => {
    setText(text);
    clearTimeout(queryTimer);
    queryTimer = setTimeout(() => setQuery({ q: text }), 300);
  };
  return (
    <>
      <ScreenHeader
        title="Tools"
        detail={
          rows.length === list.items.length || isModelSearch
            ? formatCount(list.items.length, "tool")
            : `${rows.length.toLocaleString("en")} of ${formatCount(list.items.length, "tool")}`
        }
      />
      <ToolFilters
        filter={filter}
        sources={index.sources}
        isModelSearch={isModelSearch}
        onQuery={changeQuery}
      />
      {isModelSearch ? (
        <ModelSearch query={query} />
      ) : (
        <ToolRows
          rows={rows}
          isEmpty={list.items.length === 0}
          {...(current === undefined ? {} : { current })}
        />
      )}
    </>
  );
}
