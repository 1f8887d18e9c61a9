import type { ToolList } from "@toolweave/console";
import { useMemo } from "preact/hooks";
import { toolList } from "../api/live.ts";
import { queryValue } from "../navigation/location.ts";
import { useQueryText } from "../navigation/use-query-text.ts";
import { Loaded } from "../ui/states.tsx";
import { ScreenHeader } from "../ui/screen-header.tsx";
import { formatCount } from "../text/format.ts";
import { ModelSearch } from "./model-search.tsx";
import { filterTools, indexTools, type ToolFilter } from "./tool-filter.ts";
import { ToolFilters } from "./tool-filters.tsx";
import { ToolPage } from "./tool-page.tsx";
import { ToolRows } from "./tool-rows.tsx";
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

function ToolBrowser({ list, current }: { list: ToolList; current?: string }) {
  const index = useMemo(() => indexTools(list.items), [list]);
  const [query, changeQuery] = useQueryText("q", 300);
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
  return (
    <>
      <ScreenHeader
        title="Tools"
        level={current === undefined ? 1 : 2}
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
