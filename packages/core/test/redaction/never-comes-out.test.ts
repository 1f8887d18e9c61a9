import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import {
  suspend,
  text,
  ToolError,
  type JsonValue,
  type ToolExecutor,
  type ToolOutput,
} from "@toolweave/core";
import { memoryArtifacts } from "@toolweave/core/stores";
import { inFullRun } from "@toolweave/test-support";
import { anyText } from "../support/any-text.ts";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { readings, writings } from "./redaction-for.ts";

const seed = Number(process.env["TOOLWEAVE_SEED"] ?? 20_261_120);
beforeAll(() => console.info(`TOOLWEAVE_SEED=${seed}`));

const secrets = [
  "sk_example_51H8xT9pQ2vR",
  'a"b\\c/d e+f%41&=?',
  "pässwörd-日本-🔑-x",
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
  // Short, and nothing that a random id or a time could contain.
  "7#91",
  "hunter2",
  `${"0123456789abcdef".repeat(8)}.tail`,
];

/** The encoding: a short secret in base64 within other base64 might be anything. */
function drawSpellings(secret: string): fc.Arbitrary<(text: string) => string> {
  const names = Object.keys(writings).filter(
    (name) => secret.length >= 7 || name === "base64" || !name.startsWith("base64"),
  );
  return fc.constantFrom(...names).map((name) => writings[name] as (text: string) => string);
}

/** A text with a secret in it, in some encoding. */
const planted: fc.Arbitrary<{ secret: string; whole: string }> = fc
  .constantFrom(...secrets)
  .chain((secret) =>
    fc.tuple(anyText(20), drawSpellings(secret), anyText(20)).map(([before, write, after]) => ({
      secret,
      // A text that ends like an escape would change the text after it.
      whole: [before, after].map((one) => one.replaceAll(/[\\%\w+/=-]/g, " ")).join(write(secret)),
    })),
  );

/** The position in a value. */
type Place = "key" | "member" | "item";

const places = fc.array(fc.constantFrom<Place>("key", "member", "item"), { maxLength: 6 });

function nested(whole: string, path: readonly Place[]): JsonValue {
  return path.reduce<JsonValue>((value, place) => {
    if (place === "item") return [1, value, "x"];
    return place === "member" || typeof value !== "string"
      ? { a: true, b: value }
      : { [value]: null };
  }, whole);
}

type Way = (whole: string, value: JsonValue, cuts: readonly number[]) => Promise<unknown>;

/** Everything that leaves an executor while `play` uses it. */
async function leaving(
  tools: Parameters<typeof executorFor>[0],
  play: (executor: ToolExecutor, note: (seen: unknown) => void) => Promise<unknown>,
): Promise<unknown[]> {
  const seen: unknown[] = [];
  const artifacts = memoryArtifacts();
  const put = artifacts.put.bind(artifacts);
  artifacts.put = (artifact, data) => {
    seen.push(artifact, Buffer.from(data).toString());
    return put(artifact, data);
  };
  const executor = executorFor(tools, {
    redact: { secrets },
    eventPayloads: true,
    artifacts,
    maxOutputBytes: 2000,
    audit: { write: (record) => void seen.push(record) },
  });
  executor.on((event) => seen.push(event));
  seen.push(await play(executor, (one) => seen.push(one)));
  return seen;
}

const run = (executor: ToolExecutor): Promise<unknown> => executor.execute(call("t"));

function pieces(whole: string, cuts: readonly number[]): string[] {
  const at = [0, ...cuts.map((cut) => cut % (whole.length + 1)), whole.length];
  at.sort((a, b) => a - b);
  return at.slice(1).map((end, index) => whole.slice(at[index], end));
}

const ways: Readonly<Record<string, Way>> = {
  "an output": (whole, value) =>
    leaving(
      tool("t", (): ToolOutput => ({
        content: [text(whole), { type: "resource", resource: { uri: whole, text: whole } }],
        value,
        details: value,
        provider: { value },
      })),
      run,
    ),
  "a value": (_, value) =>
    leaving(
      tool("t", () => value),
      run,
    ),
  "a large output": (whole) =>
    leaving(
      tool("t", () => `${"- ".repeat(3000)}${whole}${" -".repeat(3000)}`),
      run,
    ),
  bytes: (whole) =>
    leaving(
      tool("t", async (_, ctx) => {
        const bytes = Buffer.from(`\0\x01 ${whole}`);
        await ctx.artifacts.write(bytes, { mediaType: "text/plain" });
        return [
          {
            type: "resource",
            resource: { uri: "a:b", mimeType: "text/css", blob: bytes.toString("base64") },
          },
        ];
      }),
      run,
    ),
  "chunks of one stream": (whole, _, cuts) =>
    leaving(
      tool("t", async function* () {
        for (const piece of pieces(whole, cuts)) yield piece;
      } as never),
      run,
    ),
  "several texts": (whole, _, cuts) =>
    leaving(
      tool("t", () => pieces(whole, cuts).map(text)),
      run,
    ),
  "an error": (whole, value) =>
    leaving(
      tool("t", () => {
        throw new ToolError("upstream", whole, {
          body: value,
          cause: Object.assign(new Error(whole, { cause: { value } }), { value }),
        });
      }),
      run,
    ),
  "anything thrown": (whole, value) =>
    leaving(
      [
        tool("t", () => {
          throw new Error(`${"x".repeat(whole.length * 7)} ${whole}`);
        }),
        tool("u", () => {
          throw value;
        }),
      ],
      async (executor) => [await run(executor), await executor.execute(call("u"))],
    ),
  "updates and progress": (whole) =>
    leaving(
      tool("t", async (_, ctx) => {
        ctx.progress({ message: whole });
        await ctx.update({ content: [text(whole)] });
        return "";
      }),
      run,
    ),
  "updates of pieces": (whole, _, cuts) =>
    leaving(
      tool("t", async (_, ctx) => {
        for (const piece of pieces(whole, cuts)) await ctx.update({ content: [text(piece)] });
        return "";
      }),
      async (executor, note) => {
        let all = "";
        const outcome = await executor.execute(call("t"), {
          onUpdate: ({ content: [block] }) => {
            if (block?.type === "text") all += block.text;
          },
        });
        note(all);
        return outcome;
      },
    ),
  "an interruption": (whole, value) =>
    leaving(
      tool("t", () => "", {
        annotations: { needsApprovalHint: true },
        preflight: () => [{ kind: "network", target: whole, summary: whole, details: { value } }],
      }),
      (executor) => executor.execute(call("t", { whole, value })),
    ),
  "a suspension": (whole, value) =>
    leaving(
      tool("t", () => suspend([{ id: "1", type: "input", message: whole }], value)),
      run,
    ),
  arguments: (whole, value) =>
    leaving(
      tool("t", () => ""),
      async (executor) => {
        // The model's own arguments are not returned to it; only the derived texts count.
        await executor.execute(call("t", { whole, value }));
        await executor.execute(call("t", JSON.stringify({ whole, value })));
      },
    ),
  "refused arguments": (whole, value, cuts) => {
    const at = cuts[0] ?? 0;
    const long = `${"- ".repeat(at % 60)}${whole}`;
    const sent = [{ long }, { long: 1, [long]: 2 }, { long: 1, deep: { [long]: "x" } }, { value }];
    return leaving(
      tool("t", () => "", {
        input: {
          type: "object",
          properties: { long: { type: "integer" }, deep: { additionalProperties: false } },
          additionalProperties: { type: "boolean" },
        },
      }),
      async (executor, note) => {
        for (const args of sent) note(await executor.execute(call("t", args)));
        const json = JSON.stringify({ long });
        note(await executor.execute(call("t", json.slice(0, -1 - (at % 2)))));
        note(await executor.execute(call("t", `${json}${long}`)));
      },
    );
  },
};

/** Every text that has left, except encrypted ones. */
function collectTexts(
  seen: unknown,
  texts: string[] = [],
  known: Set<unknown> = new Set(),
): string[] {
  if (typeof seen === "string" || typeof seen === "number") texts.push(String(seen));
  if (typeof seen !== "object" || seen === null || known.has(seen)) return texts;
  known.add(seen);
  for (const key of Object.getOwnPropertyNames(seen)) {
    if (
      key === "state" ||
      /^(?:seq|time|timestamp|durationMs|expiresAt|runId|specHash|argumentsHash|key|size|id)$/.test(
        key,
      )
    )
      continue;
    texts.push(key);
    collectTexts((seen as Record<string, unknown>)[key], texts, known);
  }
  return texts;
}

const runs = inFullRun(10_000, 700);

test.each(Object.keys(ways))(
  "SE03: in %s a registered secret is never revealed",
  async (name) => {
    const way = ways[name] as Way;
    await fc.assert(
      fc.asyncProperty(
        planted,
        places,
        fc.array(fc.nat(200), { maxLength: 4 }),
        async ({ secret, whole }, path, cuts) => {
          const seen = collectTexts(await way(whole, nested(whole, path), cuts));
          const saying = [...new Set(seen)].filter((one) =>
            readings(one).some((reading) => reading.includes(secret)),
          );
          expect(saying).toEqual([]);
        },
      ),
      { numRuns: Math.ceil(runs / Object.keys(ways).length), seed },
    );
  },
  inFullRun(600_000, 60_000),
);
