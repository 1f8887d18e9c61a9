import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { conformance } from "@toolweave/conformance/vitest";
import type { JsonValue, ToolSource } from "@toolweave/core";
import type { LoadedSource } from "@toolweave/core/adapter";
import { afterAll } from "vitest";

import { makeShop } from "../src/shop.ts";
import { sqlSource } from "../src/sql-source.ts";

const place = mkdtempSync(join(tmpdir(), "sql-folder-"));
const database = join(place, "shop.db");
const shop = makeShop(database);
afterAll(() => {
  shop.close();
  rmSync(place, { recursive: true });
});

const folder = join(place, "queries");
cpSync(fileURLToPath(new URL("../sql", import.meta.url)), folder, { recursive: true });
const count = `with recursive n (i) as (select 1 union all select i + 1 from n limit`;
writeFileSync(
  join(folder, "count_to_a_billion.sql"),
  `-- description: Takes a while: the largest of very many numbers.\n-- read-only: yes\n${count} 1000000000)\nselect count(*) as last from n;\n`,
);
writeFileSync(
  join(folder, "log.sql"),
  `-- description: Everything that was logged.\n-- read-only: yes\n${count} 3000)\nselect i as line, 'nothing happened' as event from n;\n`,
);

const folders = new WeakMap<ToolSource, string>();
let changes = 0;

/** Reads a separate folder, so that a change affects only this source. */
function create(): LoadedSource {
  const own = mkdtempSync(join(place, "source-"));
  cpSync(folder, join(own, "queries"), { recursive: true });
  const source = sqlSource(join(own, "queries"), database);
  folders.set(source, join(own, "queries"));
  return source;
}

function orders(): JsonValue {
  return shop.prepare("select * from orders").all() as unknown as JsonValue;
}

function orderCount(): number {
  return Number(shop.prepare("select count(*) as all_of_them from orders").get()?.["all_of_them"]);
}

conformance({
  name: "a folder of SQL files",
  create,
  samples: {
    succeedingCalls: [
      { tool: "orders_of_customer", arguments: { customer: "Ada", most: 1 } },
      { tool: "orders_of_customer", arguments: { customer: "unknown" } },
      { tool: "best_sellers", arguments: {} },
    ],
    failingCalls: [
      { tool: "place_order", arguments: { customer: "Ada", item: "tea", quantity: 0 } },
    ],
    slowCalls: [{ tool: "count_to_a_billion", arguments: {} }],
    effectCalls: [
      {
        tool: "place_order",
        arguments: { customer: "Ada", item: "tea", quantity: 1 },
        count: orderCount,
      },
    ],
    largeCalls: [{ tool: "log", arguments: {}, bytes: 100_000 }],
  },
  generatedCalls: ["orders_of_customer", "place_order"],
  state: orders,
  change: async (source) => {
    changes += 1;
    const own = folders.get(source) as string;
    const text = `-- description: The shelf ${changes}.\n-- read-only: yes\nselect ${changes} as shelf;\n`;
    writeFileSync(join(own, "shelf.sql"), text);
    await (source as LoadedSource).refresh();
  },
  without: {
    suspendingCalls: "a query does not ask a person",
    updatingCalls: "SQLite gives all rows at once",
    secrets: "a file has no password",
    outage: "a file stays available; a lock by another process is tested separately",
  },
});
