import { setQuery } from "../navigation/location.ts";

/** A choice of one value, which is a member of the query, or of all. */
export function Choice(props: {
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
