import { visibleText } from "@toolweave/core";

const longestRead = 10_000;
const longestShown = 200;

/**
 * What a server says in words, fit for an error's text: one short visible line without what was sent to it in
 * confidence.
 */
export function serverText(text: unknown, secrets: readonly string[]): string {
  if (typeof text !== "string") return "";
  let shown = visibleText(text.slice(0, longestRead)).replace(/\s+/g, " ").trim();
  for (const secret of secrets) {
    if (secret.length < 4) continue;
    const base64 = Buffer.from(secret).toString("base64").replace(/=+$/, "");
    const inForm = new URLSearchParams([["", secret]]).toString().slice(1);
    for (const form of [secret, encodeURIComponent(secret), inForm, base64]) {
      shown = shown.replaceAll(form, "***");
    }
  }
  return shown.length > longestShown ? `${shown.slice(0, longestShown)}…` : shown;
}
