import type { JSX, TargetedClipboardEvent, TargetedInputEvent } from "preact";
import { useState } from "preact/hooks";
import type { ControlProps } from "./field-props.ts";
import { FilePicker } from "./file-picker.tsx";
import { textNode } from "../json/node.ts";
import { isSecret } from "./model/public-json.ts";
import { DatePicker } from "./date-picker.tsx";

/** The number of characters from which a text is displayed on demand only. */
const largeText = 100_000;

const placeholders: Readonly<Record<string, string>> = {
  date: "2026-11-22",
  time: "10:30:00Z",
  "date-time": "2026-11-22T10:30:00Z",
  duration: "P1DT12H",
  email: "name@example.com",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

/**
 * A string. Formats have hints and pickers beside a plain text field: the typed fields of browsers change what is typed.
 * Free text is a text area, since a text field loses line breaks.
 */
export function TextControl(props: ControlProps): JSX.Element {
  const { form, place, node, view, id, isInvalid } = props;
  const [isLargeVisible, setLargeVisible] = useState(false);
  const { format, contentEncoding, contentMediaType } = view.base;
  const text = node?.kind === "text" ? node.text : "";
  const set = (next: string): void => form.edit(place.path, () => textNode(next));
  const isEncoded =
    contentEncoding === "base64" ||
    (typeof format === "string" && /^(?:byte|binary|base64)$/.test(format));
  const isSecretText = isSecret(form.root, view.schema);
  const isOneLine = (typeof format === "string" || isSecretText) && !text.includes("\n");
  const shared = {
    id,
    class: `form-input${isSecretText ? " is-secret" : ""}`,
    spellcheck: !isOneLine && !isEncoded && !isSecretText,
    autocomplete: "off",
    "aria-invalid": isInvalid,
    "aria-required": props.isRequired,
    "aria-describedby": props.describedBy === "" ? undefined : props.describedBy,
    value: text,
    onInput: (event: TargetedInputEvent<HTMLInputElement | HTMLTextAreaElement>): void =>
      set(event.currentTarget.value),
  } as const;
  if (text.length > largeText && !isLargeVisible) {
    return (
      <div class="form-row">
        <span class="form-note">{text.length.toLocaleString("en")} characters</span>
        <button
          type="button"
          class="form-button"
          id={id}
          aria-label={`Show and edit ${props.name}`}
          onClick={() => setLargeVisible(true)}
        >
          Show and edit
        </button>
        {isEncoded ? <FilePicker {...props} set={set} isEncoded /> : null}
      </div>
    );
  }
  return (
    <div class="form-row">
      {isOneLine && isSecretText ? (
        <input {...shared} type="password" onPaste={(event) => pasteLines(event, set, text)} />
      ) : isOneLine ? (
        <input
          {...shared}
          type="text"
          placeholder={typeof format === "string" ? placeholders[format] : undefined}
          onPaste={(event) => pasteLines(event, set, text)}
        />
      ) : (
        <textarea {...shared} rows={isEncoded ? 2 : 1} />
      )}
      {format === "date" || format === "date-time" ? (
        <DatePicker name={props.name} format={format} text={text} set={set} />
      ) : null}
      {format === "uuid" ? (
        <button
          type="button"
          class="form-button"
          aria-label={`Generate a UUID for ${props.name}`}
          onClick={() => set(crypto.randomUUID())}
        >
          Generate
        </button>
      ) : null}
      {isEncoded || typeof contentMediaType === "string" ? (
        <FilePicker {...props} set={set} isEncoded={isEncoded} />
      ) : null}
    </div>
  );
}

/** Inserts pasted text with line breaks, such as a key, which a text field would remove. */
function pasteLines(
  event: TargetedClipboardEvent<HTMLInputElement>,
  set: (text: string) => void,
  before: string,
): void {
  const pasted = event.clipboardData?.getData("text/plain") ?? "";
  if (!/[\r\n]/.test(pasted.trimEnd())) return;
  event.preventDefault();
  const { selectionStart, selectionEnd } = event.currentTarget;
  const from = selectionStart ?? before.length;
  set(before.slice(0, from) + pasted.replaceAll("\r\n", "\n") + before.slice(selectionEnd ?? from));
}
