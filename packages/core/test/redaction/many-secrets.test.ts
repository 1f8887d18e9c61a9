import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { text } from "@toolweave/core";
import { cpuMilliseconds, linearWorkMs } from "@toolweave/test-support";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { completed } from "../support/outcomes.ts";

const seed = Number(process.env["TOOLWEAVE_SEED"] ?? 20_261_120);
beforeAll(() => console.info(`TOOLWEAVE_SEED=${seed}`));

/** Longer than the prefix that is compared at once. */
const head = "eyJhbGciOiJIUzI1NiJ9.";

async function redacted(whole: string, secrets: readonly string[]): Promise<string> {
  const executor = executorFor(
    tool("t", () => whole),
    { redact: { secrets, credentials: false }, maxOutputBytes: 10_000_000 },
  );
  const [block] = completed(await executor.execute(call("t"))).result.content;
  return block?.type === "text" ? block.text : "";
}

/** Each position of a secret, searched one by one; the longest counts. */
function naive(whole: string, secrets: readonly string[]): string {
  const bySize = secrets.toSorted((a, b) => b.length - a.length);
  let result = "";
  for (let at = 0; at < whole.length;) {
    const found = bySize.find((secret) => whole.startsWith(secret, at));
    result += found === undefined ? whole.charAt(at) : "[redacted]";
    at += found?.length ?? 1;
  }
  return result;
}

describe("secrets with the same beginning", () => {
  test("are all found, by the longest match, and nothing else is", async () => {
    const ending = fc.array(fc.constantFrom("a", "b"), { maxLength: 5 }).map((all) => all.join(""));
    const endings = fc.array(ending, { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(endings, endings, async (known, said) => {
        const secrets = known.map((one) => `${head}${one}`);
        const whole = said.map((one) => `${head}${one}`).join(" ");
        expect(await redacted(whole, secrets)).toBe(naive(whole, secrets));
      }),
      { numRuns: 500, seed },
    );
  });

  test("take no longer if there are more of them", async () => {
    const whole = `${head} `.repeat(20_000);
    const spent = await cpuMilliseconds(async () => {
      const secrets = Array.from({ length: 5000 }, (_, index) => `${head}${index}-${index}`);
      expect(await redacted(whole, secrets)).toBe(whole);
    });
    expect(spent).toBeLessThan(linearWorkMs);
  });
});

describe("an output that is designed to be slow to search", () => {
  test.each([["bearer+a1/"], ["basic+"], ["%25"], ["\\"]])(
    "of many %j is searched in time that grows with its length",
    async (part) => {
      let whole = "";
      const executor = executorFor(
        tool("t", () => whole),
        { redact: { secrets: ["a%5c/b+c"] } },
      );
      const spent = await cpuMilliseconds(async () => {
        whole = part.repeat(1_000_000 / part.length);
        completed(await executor.execute(call("t")));
      });
      expect(spent).toBeLessThan(linearWorkMs);
    },
  );

  test("of a secret cut between each two of many texts costs in proportion to them, and none is missed", async () => {
    const cut = ["tok_4f9a0", "c2b7d1e "].map(text);
    let content = cut;
    const executor = executorFor(
      tool("t", () => ({ content })),
      { redact: { secrets: ["tok_4f9a0c2b7d1e"] }, maxOutputBytes: 10_000_000 },
    );
    const spent = await cpuMilliseconds(async () => {
      content = Array.from({ length: 60_000 }, (_, index) => cut[index % 2] ?? text(""));
      const { content: modelContent } = completed(await executor.execute(call("t"))).result;
      expect(JSON.stringify(modelContent)).not.toMatch(/tok_|c2b7/);
    });
    expect(spent).toBeLessThan(linearWorkMs);
  });
});
