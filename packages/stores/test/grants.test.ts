import type { Grant } from "@toolweave/core";
import { join } from "node:path";
import { expect, test } from "vitest";
import { failure } from "./support/failure.ts";
import { openStore } from "./support/open-store.ts";
import { tempFolder } from "./support/temp-folder.ts";

function grant(id: string, tool: string): Grant {
  return {
    id,
    scope: "always",
    tool,
    specHash: "cd".repeat(32),
    permission: { kind: "network", target: "api.example.com" },
    argumentsHash: "ef".repeat(32),
    caller: { id: "ada", roles: ["editor"] },
    by: "grace",
    grantedAt: 1_700_000_000_000,
  };
}

test("grants are listed oldest first, all or those for one tool, after a reopening too", async () => {
  const path = join(tempFolder(), "store.db");
  const first = openStore(path);
  await first.grants.add(grant("b", "search"));
  await first.grants.add(grant("c", "delete_event"));
  await first.grants.add(grant("a", "search"));
  first.close();
  const { grants } = openStore(path);
  expect(await grants.list()).toEqual([
    grant("b", "search"),
    grant("c", "delete_event"),
    grant("a", "search"),
  ]);
  expect(await grants.list("search")).toEqual([grant("b", "search"), grant("a", "search")]);
  expect(await grants.list("Search")).toEqual([]);
});

test("a revoked grant does not exist for any process that shares the file", async () => {
  const path = join(tempFolder(), "store.db");
  const [one, other] = [openStore(path), openStore(path)];
  await one.grants.add(grant("a", "search"));
  expect(await other.grants.revoke("a")).toBe(true);
  expect(await one.grants.list("search")).toEqual([]);
  expect(await one.grants.revoke("a")).toBe(false);
});

test("an id is one grant: the same one again changes nothing, another is refused", async () => {
  const { grants } = openStore(":memory:");
  await grants.add(grant("a", "search"));
  await grants.add(grant("a", "search"));
  const error = await failure(() => grants.add(grant("a", "delete_event")));
  expect(error.code).toBe("internal");
  expect(await grants.list()).toEqual([grant("a", "search")]);
});
