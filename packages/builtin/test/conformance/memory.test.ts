import { conformance } from "@toolweave/conformance/vitest";
import { sqliteStore } from "@toolweave/stores";
import { afterAll } from "vitest";
import { memoryTools } from "../../src/index.ts";

const store = sqliteStore(":memory:");
afterAll(() => store.close());
const owner = JSON.stringify([null, null]);
let stored = 0;
// Counts what reaches the store.
const memory = {
  ...store.memory,
  set: (...args: Parameters<typeof store.memory.set>) => {
    stored += 1;
    return store.memory.set(...args);
  },
  find: (...args: Parameters<typeof store.memory.find>) => store.memory.find(...args),
  forget: (...args: Parameters<typeof store.memory.forget>) => store.memory.forget(...args),
};
for (let index = 0; index < 5; index++) {
  await memory.set(owner, {
    key: `long${index}`,
    content: "text ".repeat(3_000),
    category: "long",
  });
}

conformance({
  name: "the tools for memory",
  create: () => memoryTools({ store: memory }),
  samples: {
    succeedingCalls: [
      { tool: "memory_recall", arguments: { query: "build" } },
      { tool: "memory_forget", arguments: { key: "none" } },
      { tool: "memory_store", arguments: { key: "build", content: "It takes 4 minutes." } },
    ],
    failingCalls: [
      { tool: "memory_store", arguments: { key: "k", content: "x".repeat(17_000) } },
      { tool: "memory_recall", arguments: { since: "yesterday" } },
    ],
    effectCalls: [
      {
        tool: "memory_store",
        arguments: { key: "count", content: "one" },
        count: () => stored,
      },
    ],
    largeCalls: [{ tool: "memory_recall", arguments: { category: "long" }, bytes: 60_000 }],
  },
  generatedCalls: ["memory_recall"],
  state: async () =>
    (await store.memory.find(owner, { limit: 100 }))
      .map(({ key, content, category }) => [key, content, category])
      .toSorted(),
  without: {
    slowCalls: "a memory answers at once",
    suspendingCalls: "a tool for memory does not ask a person itself",
    updatingCalls: "an answer is given when it is complete",
    secrets: "a memory has no credentials",
    change: "the tools for memory are always the same",
    outage: "the store is in this process",
  },
});
