import type { JsonValue } from "@toolweave/core";

const maxRestLength = 1000;

/**
 * What a problem (RFC 9457) says, for a model: title and detail as sentences, and behind them the members that are the
 * API's own, such as what is wrong with which field. `undefined`: it says nothing.
 *
 * @param statusText a title that only repeats it is left out.
 */
export function problemText(problem: JsonValue, statusText: string): string | undefined {
  if (typeof problem !== "object" || problem === null || Array.isArray(problem)) return undefined;
  const { title, detail, status: _status, type, ...rest } = problem as Record<string, JsonValue>;
  const isNews = typeof title === "string" && title.toLowerCase() !== statusText.toLowerCase();
  const sentences = [isNews ? title : "", typeof detail === "string" ? detail : ""]
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
  if (sentences.length === 0) return undefined;
  if (type !== undefined && type !== "about:blank") rest["type"] = type;
  const said = sentences.map((one) => (/[.!?…]$/.test(one) ? one : `${one}.`)).join(" ");
  const more = Object.keys(rest).length === 0 ? "" : written(rest);
  if (more === "") return said;
  return `${said} ${more.length <= maxRestLength ? more : `${more.slice(0, maxRestLength)}…`}`;
}

function written(members: JsonValue): string {
  try {
    return JSON.stringify(members);
  } catch {
    // It nests deeper than the stack. The title and the detail are worth reading all the same.
    return "";
  }
}
