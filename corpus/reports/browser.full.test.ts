import type { JsonObject } from "@toolweave/core";
import { expect, test } from "vitest";
import {
  hasBrowser,
  openBrowser,
} from "../../packages/builtin/test/browser/support/open-browser.ts";
import { openServer, type WebServer } from "../../packages/builtin/test/support/web-server.ts";
import { findIncomplete, observeText, pickPresent, readRows, type Report } from "./rows.ts";

/** One reported case. */
interface Row extends Report {
  /** The pages by their paths, as HTML. A path without a page has no answer: the request hangs. */
  readonly pages: Readonly<Record<string, string>>;
  /**
   * The calls after `/` was opened: of `browser_act` with `act`, otherwise of `browser`. `at` is the beginning of an
   * element's line in the last snapshot, whose reference the call gets; `keep` does not count as the last snapshot.
   */
  readonly calls?: readonly (JsonObject & {
    readonly act?: string;
    readonly look?: string;
    readonly at?: string;
    readonly keep?: boolean;
  })[];
}

const cases = await readRows<Row>("browser");

function openRow({ pages }: Row): Promise<WebServer> {
  return openServer((request, response) => {
    const page = pages[request.url ?? ""];
    if (page === undefined) return;
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(page);
  });
}

/** Opens the pages of a row and makes its calls. Returns what the row expects of the last result, as it was observed. */
async function observe(row: Row): Promise<Partial<Row>> {
  const server = await openRow(row);
  const { look, act } = openBrowser({ allowPrivate: [server.host] });
  let seen = await look({ action: "navigate", url: server.origin });
  let last = seen;
  for (const { act: acting, look: looking, at, keep, ...args } of row.calls ?? []) {
    const line = seen.split("\n").find((one) => at !== undefined && one.includes(`- ${at}`));
    const ref = /\[ref=(\w+)\]/.exec(line ?? "")?.[1];
    if (at !== undefined && ref === undefined) throw new Error(`There is no ${at} in:\n${seen}`);
    const call = { ...args, ...(ref === undefined ? {} : { ref }) };
    last =
      acting === undefined
        ? await look({ ...call, action: looking ?? "snapshot" })
        : await act({ ...call, action: acting });
    if (keep !== true) seen = last;
  }
  const { text, lacks } = observeText(row, last);
  const refused = /^[a-z_]+: /.test(last);
  return {
    ...(text === undefined ? {} : { text }),
    ...(lacks === undefined ? {} : { lacks }),
    ...(refused ? { refuses: (row.refuses ?? []).filter((one) => last.includes(one)) } : {}),
    ...(refused && row.refuses === undefined ? { refuses: [last] } : {}),
  };
}

function getExpected(row: Row): Partial<Row> {
  return pickPresent(row, ["text", "lacks", "refuses"]);
}

test("each row names its reports, its verdict, its source and what is expected", () => {
  expect(findIncomplete(cases)).toEqual([]);
  expect(cases.filter(({ row }) => Object.keys(getExpected(row)).length === 0)).toEqual([]);
});

test.runIf(hasBrowser).each(cases.map((one) => ({ ...one, is: one.row.is })))(
  "$table: $is",
  { timeout: 90_000 },
  async ({ row }) => {
    expect(await observe(row)).toEqual(getExpected(row));
  },
);
