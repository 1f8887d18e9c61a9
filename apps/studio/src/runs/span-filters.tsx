import { queryValue, setQuery } from "../navigation/location.ts";
import { useQueryText } from "../navigation/use-query-text.ts";
import { SearchInput } from "../ui/search-input.tsx";

/** The search and the choices above the spans of a run. */
export function SpanFilters(props: { displayed: number; total: number; hasGaps: boolean }) {
  const [text, setText] = useQueryText("q", 120);
  const isFailedOnly = queryValue("failed") === "true";
  const isFolded = queryValue("gaps") !== "open";
  return (
    <div class="run-filters" role="search">
      <SearchInput
        label="Search spans"
        placeholder="Tool, state, code or message"
        value={text}
        onInput={setText}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={isFailedOnly}
          onChange={({ currentTarget }) =>
            setQuery({ failed: currentTarget.checked ? "true" : "" })
          }
        />
        Failed only
      </label>
      {props.hasGaps && (
        <label class="check">
          <input
            type="checkbox"
            checked={isFolded}
            onChange={({ currentTarget }) =>
              setQuery({ gaps: currentTarget.checked ? "" : "open" })
            }
          />
          Fold idle time
        </label>
      )}
      <span class="muted">
        {props.displayed === props.total
          ? `${props.total.toLocaleString("en")} spans`
          : `${props.displayed.toLocaleString("en")} of ${props.total.toLocaleString("en")} spans`}
      </span>
    </div>
  );
}
