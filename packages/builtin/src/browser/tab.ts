import { displayLine, ToolError } from "@toolweave/core";
import { ellipsize, pause } from "@toolweave/core/adapter";
import type { Dialog, FileChooser, Page } from "playwright-core";
import type { PageElements } from "./page/page-elements.ts";

/** Characters of a dialog's text in an error. */
const maxDialogText = 200;
/** Milliseconds in which a page answers that is not stopped, and between two questions. */
const answerMs = 1_000;
const askMs = 250;

/** A tab of a browser, and what belongs to it alone. */
export interface Tab {
  readonly id: number;
  readonly page: Page;
  /** The page as the model has seen it. Undefined: it has seen nothing. */
  seen?: { readonly url: string; readonly elements: PageElements };
  /** The dialog that stops the page. */
  dialog?: Dialog;
  /** The action that ends when the dialog is answered. */
  stopped?: Promise<unknown>;
  /** A page that waits for files. */
  chooser?: FileChooser;
  /** The process of the page has crashed, and shows nothing until the next navigation. */
  hasCrashed?: true;
}

/** The states in which a tab needs something, in one line each, for the list of tabs. */
export function describeState({ dialog, chooser, hasCrashed }: Tab): readonly string[] {
  return [
    ...(dialog === undefined
      ? []
      : [`waits for the answer to a dialog: ${describeDialog(dialog)}`]),
    ...(chooser === undefined ? [] : ["waits for files"]),
    ...(hasCrashed === undefined ? [] : ["has crashed"]),
  ];
}

/** The kind of a dialog and its text, in one line. The text is of the page. */
export function describeDialog(dialog: Dialog): string {
  const text = displayLine(ellipsize(dialog.message(), maxDialogText));
  return `${dialog.type()} ${JSON.stringify(text)}`;
}

/** @throws ToolError `invalid_arguments` while a dialog stops the page. */
export function rejectDialog({ id, dialog }: Tab): void {
  if (dialog === undefined) return;
  throw new ToolError(
    "invalid_arguments",
    `A dialog stops the page in tab ${id}: ${describeDialog(dialog)}. Answer it first: browser_act with action dialog.`,
  );
}

/**
 * Resolves when another tab has a dialog and this one does not respond: pages of one process have one thread, which the
 * dialog stops.
 */
export async function findBlocking(
  tab: Tab,
  list: () => readonly Tab[],
  ended: AbortSignal,
): Promise<{ readonly blocking: Tab }> {
  for (;;) {
    await pause(askMs, { signal: ended });
    if (ended.aborted) return new Promise(() => {});
    const blocking = list().find((one) => one !== tab && one.dialog !== undefined);
    if (blocking === undefined) continue;
    let hasAnswered = false;
    const answer = tab.page
      .evaluate("0")
      .catch(() => {})
      .then(() => (hasAnswered = true));
    await pause(answerMs, { signal: ended, wake: answer });
    if (!hasAnswered && blocking.dialog !== undefined) return { blocking };
  }
}

/** Why a tab does not respond while a dialog waits in another one, whose page has the same process. */
export function describeBlocking(tab: Tab, blocking: Tab): string {
  const dialog = blocking.dialog === undefined ? "dialog" : describeDialog(blocking.dialog);
  return `A dialog in tab ${blocking.id} stops tab ${tab.id} too: ${dialog}. Call browser with action tabs and tab ${blocking.id}, then browser_act with action dialog.`;
}

/** The error of a tab that does not respond, and has no dialog. */
export function toUnresponsiveError({ id, hasCrashed }: Tab, cause: Error): ToolError {
  return hasCrashed
    ? new ToolError(
        "unavailable",
        `The page in tab ${id} has crashed. Call browser with action navigate, or close with tab ${id}.`,
        { cause },
      )
    : new ToolError(
        "timeout",
        `The page in tab ${id} does not respond: a script of it may run without end, or it is still being loaded. Call browser with action wait, navigate, or close with tab ${id}.`,
        { cause },
      );
}

/** Waits for what a page is asked, and replaces the error of a page that gives no answer. */
export async function expectAnswer<Result>(tab: Tab, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw (error as Error).name === "TimeoutError"
      ? toUnresponsiveError(tab, error as Error)
      : error;
  }
}
