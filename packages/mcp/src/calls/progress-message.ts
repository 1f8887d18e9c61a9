import { visibleText } from "@toolweave/core";

/** Characters of what a server says of its progress that are looked at: an event has 1,000 bytes of it. */
const mostOfMessage = 2_000;

/** What a server says of its progress, for whoever watches: without what nobody sees, and what steers a terminal. */
export function shownProgress(message: string): string {
  return visibleText(message.slice(0, mostOfMessage));
}
