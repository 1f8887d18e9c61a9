import type { Signal } from "@preact/signals";
import type { JSX } from "preact";

/** A part of a form that is opened and closed. Its fields are rendered while it is open. */
export function FormSection(props: {
  isOpen: Signal<boolean>;
  title: string;
  /** A further text beside the title. */
  detail?: string | undefined;
  /** A further class. */
  class?: string;
  children: () => readonly JSX.Element[];
}): JSX.Element {
  const { isOpen, title, detail } = props;
  return (
    <div class={props.class === undefined ? "form-optional" : `form-optional ${props.class}`}>
      <button
        type="button"
        class="form-toggle"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.peek())}
      >
        <span class="form-arrow" aria-hidden="true" />
        <span class="form-label">{title}</span>
        {detail === undefined ? null : <span class="form-count">{detail}</span>}
      </button>
      {isOpen.value ? props.children() : null}
    </div>
  );
}
