import { text, type JsonObject, type JsonValue, type ToolOutput } from "@toolweave/core";
import type { NextPage } from "./next-page.ts";

/** Characters of a next call; a longer cursor is more than a model can be asked to repeat. */
const maxCallLength = 4000;

/** The call that gives the next page. */
export type NextCall = {
  readonly tool: string;
  readonly arguments: JsonObject;
};

/** Says in an output how to go on: in a line for the model, and as `details.next` for the host. */
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

/** The call that an output names as the next. */
export function getNextCall(details: JsonValue | undefined): NextCall | undefined {
  if (typeof details !== "object" || details === null || Array.isArray(details)) return undefined;
  const next = (details as JsonObject)["next"];
  return next === undefined ? undefined : (next as NextCall);
}
