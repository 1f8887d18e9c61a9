import { signal } from "@preact/signals";

const message = signal("");

/** Has a screen reader say a text when it is idle. */
export function announce(text: string): void {
  message.value = text;
}

/** The live region of the page. */
export function Announcer() {
  return (
    <div class="visually-hidden" role="status" aria-live="polite">
      {message.value}
    </div>
  );
}
