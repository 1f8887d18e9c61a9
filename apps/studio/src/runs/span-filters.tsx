import { useState } from "preact/hooks";
import { queryValue, setQuery } from "../navigation/location.ts";
import { SearchInput } from "../ui/search-input.tsx";

let timer: ReturnType<typeof setTimeout> | undefined;

/** The search and the choices above the spans of a run. */
export function SpanFilters(props: { displayed: number; total: number; hasGaps: boolean }) {
  const [text, setText] = useState(() => queryValue("q"));
  const isFailedOnly = queryValue("failed") === "true";
  const isFolded = queryValue("gaps") !== "open";
  return (
    <div class="run-filters" role="search">
      <SearchInput
        label="Search spans"
        placeholder="Tool, state, code or message"
        value={text}
        onInput={(value) => {
          setText(value);
          clearTimeout(timer);
          timer = setTimeout(() => setQuery({ q: value }), 120);
        }}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={isFailedOnly}
          onChange={({ currentTarget }) => setQuery({ failed: currentTarget.checked ? "true" : "" })}
        />
        Failed only
      </label>
      {props.hasGaps && (
        <label class="check">
          <input
            type="checkbox"
            checked={isFolded}
            onChange={({ currentTarget }) => setQuery({ gaps: currentTarget.checked ? "" : "open" })}
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
