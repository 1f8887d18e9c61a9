import type { ContentBlock } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { outputPart, valuePart } from "../../src/events/event-payload.ts";
import type { Redactor } from "../../src/contract/redactor.ts";

const maxOutputBytes = 1_000;
const secret = "s3cret-of-the-museum";
/**
 * The part of a payload that may be searched or read, however long it is: the limit, and the length
 * that a secret may extend beyond it.
 */
const maxWork = 200_000;

/** Masks the secret, and counts the characters that it has searched. */
function searching(): { readonly redactor: Redactor; readonly searched: () => number } {
  let searched = 0;
  const text = (given: string): string => {
    searched += given.length;
    return given.replaceAll(secret, "***");
  };
  const redactor = {
    text,
    redactReport: (value: unknown) => value,
    value: (value: unknown) => JSON.parse(text(JSON.stringify(value))) as unknown,
    output: (output: { readonly content: readonly ContentBlock[] }) => ({
      ...output,
      content: output.content.map((block) =>
        block.type === "text" ? { ...block, text: text(block.text) } : block,
      ),
      ...("value" in output ? { value: JSON.parse(text(JSON.stringify(output.value))) } : {}),
    }),
  } as unknown as Redactor;
  return { redactor, searched: () => searched };
}

/** A list that counts how often one of its items is read. */
function counted(length: number): { readonly list: unknown[]; readonly reads: () => number } {
  let reads = 0;
  const list = new Proxy(
    Array.from({ length }, () => 1),
    {
      get(target, name, receiver): unknown {
        reads += 1;
        return Reflect.get(target, name, receiver);
      },
    },
  );
  return { list, reads: () => reads };
}

describe("the payload of an event", () => {
  test("that is a long text is searched no further than it can be emitted", () => {
    const { redactor, searched } = searching();
    const { part, truncated } = valuePart(
      { maxOutputBytes, redactor },
      `${secret} ${"x".repeat(5_000_000)}`,
    );
    expect(String(part)).toMatch(/^\*\*\* x{900,996}$/);
    expect(truncated).toBe(true);
    expect(searched()).toBeLessThan(maxWork);
  });

  test("that is a large value is omitted without being read, searched or copied as a whole", () => {
    const { redactor, searched } = searching();
    const { list, reads } = counted(2_000_000);
    expect(valuePart({ maxOutputBytes, redactor }, { list })).toEqual({ truncated: true });
    expect([reads() < 2 * maxWork, searched()]).toEqual([true, 0]);
  });

  test("that is a large output is truncated before it is searched; short parts of it are emitted", () => {
    const { redactor, searched } = searching();
    const { list, reads } = counted(2_000_000);
    const long = { type: "text", text: "y".repeat(5_000_000) } as const;
    const image = { type: "image", data: "A".repeat(5_000_000), mimeType: "image/png" } as const;
    const content: readonly ContentBlock[] = [{ type: "text", text: secret }, image, long, long];
    const { part, truncated } = outputPart(
      { maxOutputBytes, redactor },
      { content, value: list as never, details: { short: true } },
    );
    expect(truncated).toBe(true);
    expect(part).toEqual({
      content: [
        { type: "text", text: "***" },
        { type: "text", text: expect.stringMatching(/^y{900,997}$/) as string },
      ],
      details: { short: true },
    });
    expect([reads() < 2 * maxWork, searched() < maxWork]).toEqual([true, true]);
  });

  test("contains no part of a secret at the place of truncation, wherever it is", () => {
    const { redactor } = searching();
    for (const before of [0, 990, 70_985, 70_999]) {
      const text = `${secret.repeat(before === 0 ? 5_000 : 0)}${"x".repeat(before)}${secret}${"z".repeat(200_000)}`;
      const { part } = valuePart({ maxOutputBytes, redactor }, text);
      const output = outputPart(
        { maxOutputBytes, redactor },
        { content: [{ type: "text", text }] },
      );
      for (const emitted of [String(part), JSON.stringify(output.part)]) {
        expect(emitted).not.toContain(secret.slice(0, 6));
      }
    }
  });
});
