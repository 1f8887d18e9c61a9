import { queryValue, setQuery } from "../navigation/location.ts";
import { useQueryText } from "../navigation/use-query-text.ts";
import { SearchInput } from "../ui/search-input.tsx";
import { Checkbox } from "../ui/checkbox.tsx";

/** The search and the choices above the spans of a run. */
export function SpanFilters(props: { displayed: number; total: number; hasGaps: boolean }) {
  const [text, setText] = useQueryText("q", 120);
  const isFailedOnly = queryValue("failed") === "true";
  const isFolded = queryValue("gaps") !== "open";
  return (
    <div class="search-row" role="search">
      <SearchInput
        label="Search spans"
        placeholder="Tool, state, code or message"
        value={text}
        onInput={setText}
      />
      <Checkbox
        label="Failed only"
        isChecked={isFailedOnly}
        onChange={(isChecked) => setQuery({ failed: isChecked ? "true" : "" })}
      />
      {props.hasGaps && (
        <Checkbox
          label="Fold idle time"
          isChecked={isFolded}
          onChange={(isChecked) => setQuery({ gaps: isChecked ? "" : "open" })}
        />
      )}
      <span class="muted">
        {props.displayed === props.total
          ? `${props.total.toLocaleString("en")} spans`
          : `${props.displayed.toLocaleString("en")} of ${props.total.toLocaleString("en")} spans`}
      </span>
    </div>
  );
}
