import { settled } from "@toolweave/test-support/fake-clock";
import { recordUnhandledRejections } from "@toolweave/test-support/unhandled-rejections";
import { describe, expect, test } from "vitest";
import { text, type Hook, type ToolContext, type ToolOutput } from "@toolweave/core";
import { call, executorFor, recorded, tool } from "../support/executor-for.ts";
import { completed } from "../support/outcomes.ts";

const said = (what: string): ToolOutput => ({ content: [text(what)] });

/** The events of a tool that sends two updates, under hooks. */
async function received(...hooks: Hook[]): Promise<unknown[]> {
  const executor = executorFor(
    tool("t", async (_, { update }) => {
      await update(said("one"));
      await update(said("two"));
    }),
    { hooks, eventPayloads: true },
  );
  const events = recorded(executor);
  completed(await executor.execute(call("t")));
  return events.flatMap((event) =>
    event.type === "tool.updated"
      ? (event.output?.content ?? []).map((block) =>
          block.type === "text" ? block.text : block.type,
        )
      : [],
  );
}

const readText = ({ content: [block] }: ToolOutput): string =>
  block?.type === "text" ? block.text : "";

describe("a hook before an update", () => {
  test("passes an update on by returning undefined, changes it by returning another, drops it with null", async () => {
    expect(await received({ beforeUpdate: () => {} })).toEqual(["one", "two"]);
    expect(await received({ beforeUpdate: (_, update) => said(`${readText(update)}!`) })).toEqual([
      "one!",
      "two!",
    ]);
    expect(
      await received({
        beforeUpdate: (_, update) => (readText(update) === "one" ? null : undefined),
      }),
    ).toEqual(["two"]);
  });

  test("may be asynchronous, and the tool may wait for it", async () => {
    expect(
      await received(
        { beforeUpdate: async (_, update) => said(`${readText(update)} later`) },
        { beforeUpdate: async () => {} },
        { beforeUpdate: (_, update) => said(`${readText(update)}!`) },
      ),
    ).toEqual(["one later!", "two later!"]);
  });

  test("receives the result of the hook before it, in the order of priority, if its filter matches", async () => {
    const adding = (what: string, priority: number): Hook => ({
      priority,
      beforeUpdate: (_, update) => said(readText(update) + what),
    });
    expect(
      await received(adding("b", 2), adding("a", 1), {
        when: () => false,
        beforeUpdate: () => null,
      }),
    ).toEqual(["oneab", "twoab"]);
  });

  test.each<[string, Hook]>([
    [
      "throws",
      {
        beforeUpdate: () => {
          throw new Error("redaction failed");
        },
      },
    ],
    ["fails later", { beforeUpdate: () => Promise.reject(new Error("late")) }],
    ["answers later with an invalid output", { beforeUpdate: (async () => "redacted") as never }],
    ["answers with an invalid output", { beforeUpdate: () => "redacted" as never }],
    ["answers with false", { beforeUpdate: () => false as never }],
    [
      "has a filter that throws",
      {
        when: () => {
          throw new Error("no");
        },
        beforeUpdate: () => {},
      },
    ],
  ])("that %s drops the update: the failed hook may have been a redaction", async (_, hook) => {
    const unhandled = recordUnhandledRejections();
    expect(await received(hook)).toEqual([]);
    await settled();
    expect(unhandled).toEqual([]);
  });
});

describe("a hook that listens to events", () => {
  test("receives all events of a listener, whatever its filter returns; its errors change nothing", async () => {
    const received: string[] = [];
    const executor = executorFor(tool("t"), {
      hooks: [
        {
          when: () => false,
          onEvent: ({ type }) => {
            received.push(type);
            throw new Error("observer");
          },
        },
      ],
    });
    const events = recorded(executor);
    completed(await executor.execute(call("t")));
    expect(received).toEqual(events.map(({ type }) => type));
    expect(received).toHaveLength(4);
  });
});

describe("a hook after an update", () => {
  test("F2.7 receives the update that was passed on, even if there is no other listener", async () => {
    const seen: string[] = [];
    const executor = executorFor(
      tool("t", (_, { update }) => {
        update(said("one"));
        update(said("two"));
      }),
      {
        hooks: [
          { beforeUpdate: (_, update) => (readText(update) === "two" ? null : said("changed")) },
          { afterUpdate: ({ callId }, update) => void seen.push(`${callId} ${readText(update)}`) },
        ],
      },
    );
    completed(await executor.execute(call("t", {}, "c")));
    expect(seen).toEqual(["c changed"]);
  });

  test("changes nothing: neither by throwing nor by failing later", async () => {
    const seen: string[] = [];
    expect(
      await received(
        {
          afterUpdate: () => {
            throw new Error("observer");
          },
        },
        { afterUpdate: async () => Promise.reject(new Error("observer")) },
        { afterUpdate: (_, update) => void seen.push(readText(update)) },
      ),
    ).toEqual(["one", "two"]);
    expect(seen).toEqual(["one", "two"]);
  });

  test("TC18 receives nothing of a tool that has ended", async () => {
    const seen: unknown[] = [];
    let kept: ToolContext | undefined;
    const executor = executorFor(
      tool("t", (_, ctx) => void (kept = ctx)),
      { hooks: [{ afterUpdate: (_, update) => void seen.push(update) }] },
    );
    completed(await executor.execute(call("t")));
    kept?.update(said("late"));
    expect(seen).toEqual([]);
  });
});
