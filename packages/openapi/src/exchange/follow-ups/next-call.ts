import { text, type JsonObject, type JsonValue, type ToolOutput } from "@toolweave/core";
import type { NextPage } from "./next-page.ts";

/** Maximum length of a next call; a model cannot be expected to repeat a longer cursor. */
const maxCallLength = 4000;

/** The call that reads the next page. */
export type NextCall = {
  readonly tool: string;
  readonly arguments: JsonObject;
};

/** Adds the next call to an output: as a line for the model, and as `details.next` for the host. */
export function withNextCall(
  output: ToolOutput,
  { changed, removed }: NextPage,
  tool: string,
  args: JsonObject,
): ToolOutput {
  const rest = Object.fromEntries(Object.entries(args).filter(([name]) => !removed.includes(name)));
  const next: NextCall = { tool, arguments: { ...rest, ...changed } };
  if (JSON.stringify(next).length > maxCallLength) return output;
  const what = Object.entries(changed).map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  const without =
    removed.length === 0
      ? ""
      : `, without ${removed.map((name) => JSON.stringify(name)).join(", ")}`;
  return {
    ...output,
    content: [
      ...output.content,
      text(`[more: call ${tool} again with ${what.join(", ")}${without}, the rest as it was]`),
    ],
    details: { ...(output.details as JsonObject | undefined), next },
  };
}

/** Returns the next call of an output. */
export function getNextCall(details: JsonValue | undefined): NextCall | undefined {
  if (typeof details !== "object" || details === null || Array.isArray(details)) return undefined;
  const next = (details as JsonObject)["next"];
  return next === undefined ? undefined : (next as NextCall);
}
