import type { JsonObject, JsonValue } from "@toolweave/core";
import { findNextPage } from "../../src/exchange/follow-ups/next-page.ts";
import {
  findPageArguments,
  type PageArguments,
} from "../../src/exchange/follow-ups/page-arguments.ts";
import { layoutArguments } from "../../src/arguments/argument-layout.ts";
import { details, parameter, createSchema } from "./operations.ts";

const none = { headers: new Set<string>(), cookies: [] };

/**
 * The arguments of an operation with these in the query: `name` is text, `name#` an integer,
 * `name!` required.
 */
export function taking(...names: readonly string[]): PageArguments {
  const parameters = names.map((given) =>
    parameter({
      name: given.replace(/[#!]/g, ""),
      in: "query",
      required: given.includes("!"),
      schema: createSchema({ type: given.includes("#") ? "integer" : "string" }),
    }),
  );
  return of(details({ parameters }));
}

/** The arguments of an operation that can request another page. */
export function of(given: ReturnType<typeof details>): PageArguments {
  const pages = findPageArguments(layoutArguments(given, "/things", "#", none));
  if (pages === undefined) throw new Error("nothing asks for another page");
  return pages;
}

/** The changes to the arguments that read the page after this answer. */
export function next(
  pages: PageArguments,
  given: {
    url?: string;
    link?: string;
    headers?: Record<string, string>;
    value?: JsonValue;
    args?: JsonObject;
  },
): unknown {
  const { url = "https://api.test/things", link, headers = {}, value, args = {} } = given;
  const found = findNextPage({ url, link, header: (name) => headers[name], value }, args, pages);
  return found === undefined || found.removed.length > 0 ? found : found.changed;
}
