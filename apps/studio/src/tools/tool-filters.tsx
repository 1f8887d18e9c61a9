import { setQuery } from "../navigation/location.ts";
import { safeLine } from "../text/safe-text.ts";
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

function Choice(props: {
  label: string;
  name: string;
  value: string;
  options: readonly (readonly [string, string])[];
}) {
  return (
    <select
      aria-label={props.label}
      class="select"
      value={props.value}
      onChange={({ currentTarget }) => setQuery({ [props.name]: currentTarget.value })}
    >
      <option value="">{props.label}: all</option>
      {props.options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}
