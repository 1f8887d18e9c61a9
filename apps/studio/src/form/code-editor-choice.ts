import { signal } from "@preact/signals";

/**
 * Whether JSON is edited in the code editor. A text area is the first choice: it is there at once, and screen readers and
 * the browser's own editing work in it best.
 */
export const isCodeEditorUsed = signal(false);
