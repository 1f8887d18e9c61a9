import { setQuery } from "../navigation/location.ts";
import { safeLine } from "../text/safe-text.ts";
import { Choice } from "../ui/choice.tsx";
import { SearchInput } from "../ui/search-input.tsx";
import type { ToolFilter } from "./tool-filter.ts";

/** The search and the choices above the list of tools. */
export function ToolFilters(props: {
  filter: ToolFilter;
  sources: readonly (readonly [string, number])[];
  isModelSearch: boolean;
  onQuery: (text: string) => void;
}) {
  const { filter, sources, isModelSearch } = props;
  return (
    <div class="filters" role="search">
      <SearchInput
        label={isModelSearch ? "Search as a model does" : "Search tools"}
        placeholder={isModelSearch ? "What a model would search for" : "Name, title or description"}
        value={filter.query}
        onInput={props.onQuery}
      />
      <div class="filter-row">
        <div class="segmented" role="group" aria-label="Kind of search">
          <button
            type="button"
            aria-pressed={!isModelSearch}
            onClick={() => setQuery({ find: "" })}
          >
            Filter
          </button>
          <button
            type="button"
            aria-pressed={isModelSearch}
            onClick={() => setQuery({ find: "model" })}
          >
            As a model searches
          </button>
        </div>
        {!isModelSearch && (
          <>
            <Choice
              label="Source"
              name="source"
              value={filter.source}
              options={sources.map(([id, count]) => [id, `${safeLine(id)} (${count})`])}
            />
            <Choice
              label="Policy"
              name="effect"
              value={filter.effect}
              options={[
                ["allow", "allowed"],
                ["ask", "asks"],
                ["deny", "denied"],
              ]}
            />
            <Choice
              label="State"
              name="state"
              value={filter.state}
              options={[
                ["available", "available"],
                ["unavailable", "unavailable"],
              ]}
            />
          </>
        )}
      </div>
    </div>
  );
}
