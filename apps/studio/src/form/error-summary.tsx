import type { JSX } from "preact";
import { safeLine, safeText } from "../text/safe-text.ts";
import type { Form } from "./form.ts";
import { fieldId } from "./place.ts";

interface ErrorSummaryProps {
  readonly form: Form;
}

/** The problems of a form with links to their fields. It is displayed on sending and stays until there are no problems. */
export function ErrorSummary({ form }: ErrorSummaryProps): JSX.Element | null {
  if (!form.isSummaryVisible || form.problems.length === 0) return null;
  const count = form.problemsByField.size;
  return (
    <div
      class="form-summary"
      id={fieldId(form.id, "", "summary")}
      role="group"
      tabIndex={-1}
      aria-labelledby={fieldId(form.id, "", "summary-title")}
    >
      <p class="form-heading" id={fieldId(form.id, "", "summary-title")}>
        {count === 1 ? "A field has a problem" : `${count} fields have problems`}
      </p>
      <ul>
        {[...form.problemsByField].map(([pointer, messages]) => (
          <li key={pointer}>
            <a
              href={`#${fieldId(form.id, pointer, "control")}`}
              onClick={(event) => {
                event.preventDefault();
                form.reveal(pointer);
              }}
            >
              {pointer === ""
                ? "The whole value"
                : safeLine(pointer.slice(1).replaceAll("/", " / "))}
            </a>
            : {safeText(messages.join(" "))}
          </li>
        ))}
      </ul>
    </div>
  );
}
