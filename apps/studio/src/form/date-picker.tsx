import type { JSX } from "preact";

interface DatePickerProps {
  readonly name: string;
  readonly format: "date" | "date-time";
  readonly text: string;
  readonly set: (text: string) => void;
}

/** The browser's picker of dates beside a text field, which has what was typed. */
export function DatePicker({ name, format, text, set }: DatePickerProps): JSX.Element {
  const isDate = format === "date";
  const pattern = isDate ? /^\d{4}-\d\d-\d\d$/ : /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?/;
  return (
    <input
      class="form-picker"
      type={isDate ? "date" : "datetime-local"}
      step={isDate ? undefined : 1}
      aria-label={isDate ? `Pick a date for ${name}` : `Pick a local time for ${name}`}
      value={pattern.exec(text)?.[0] ?? ""}
      onChange={(event) => {
        const { value } = event.currentTarget;
        if (value !== "") set(isDate ? value : withOffset(value));
      }}
    />
  );
}

/** A local time with the offset of this place at that time (RFC 3339). */
function withOffset(local: string): string {
  const minutes = -new Date(local).getTimezoneOffset();
  const seconds = /:\d\d:\d\d/.test(local) ? "" : ":00";
  if (minutes === 0) return `${local}${seconds}Z`;
  const size = Math.abs(minutes);
  const digits = (value: number): string => String(value).padStart(2, "0");
  return `${local}${seconds}${minutes < 0 ? "-" : "+"}${digits(Math.floor(size / 60))}:${digits(size % 60)}`;
}
