import { join } from "node:path";
import { memoryArtifacts, type ArtifactStore } from "@toolweave/core/stores";
import { sqliteStore } from "@toolweave/stores";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ArtifactMatches, ArtifactPage } from "../../src/index.ts";
import { CheckedConsole, secret } from "../support/checked-console.ts";

const now = Date.now();
let count = 0;

/** Stores an artifact as an executor without secrets would, and returns its key. */
async function put(
  store: ArtifactStore,
  content: string | Uint8Array,
  mediaType = "text/plain",
  owner = '[null,"ada"]',
): Promise<string> {
  const data = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const key = `art_${String(++count).padStart(32, "0")}`;
  const times = { createdAt: now, expiresAt: now + 3_600_000 };
  await store.put({ key, owner, mediaType, size: data.byteLength, ...times }, data);
  return key;
}

function open(owners: "own" | "all" = "own"): { console: CheckedConsole; store: ArtifactStore } {
  const store = memoryArtifacts();
  return { console: new CheckedConsole([], { artifacts: store }, { owners }), store };
}

const read = async (console: CheckedConsole, path: string): Promise<ArtifactPage> =>
  (await console.send<ArtifactPage>(`/api/artifacts/${path}`)).body;

describe("a page of text", () => {
  test("leads to the next one, and no character is split", async () => {
    const { console, store } = open();
    const text = "añ😀b".repeat(50);
    const key = await put(store, text);
    let joined = "";
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const page: ArtifactPage = await read(console, `${key}?offset=${offset}&length=7`);
      expect(page.offset).toBe(offset);
      joined += page.text;
      offset = page.nextOffset;
    }
    expect(joined).toBe(text);
    expect(await read(console, key)).toEqual({
      key,
      mediaType: "text/plain",
      bytes: 400,
      createdAt: now,
      expiresAt: now + 3_600_000,
      offset: 0,
      text,
    });
  });

  test("masks a secret that its ends cut, whatever the length of the pages", async () => {
    const { console, store } = open();
    const key = await put(store, `before ${secret} after`);
    for (const length of [1, 2, 3, 5, 8, 13, 100]) {
      let joined = "";
      let offset: number | undefined = 0;
      while (offset !== undefined) {
        const page: ArtifactPage = await read(console, `${key}?offset=${offset}&length=${length}`);
        joined += page.text;
        offset = page.nextOffset;
      }
      expect(joined).not.toContain(secret.slice(0, 6));
      expect(joined.startsWith("before ")).toBe(true);
      expect(joined.endsWith(" after")).toBe(true);
    }
  });

  test.each(["offset=-1", "offset=x", "offset=1000", "length=0", "length=1048577"])(
    "with %s is 400",
    async (query) => {
      const { console, store } = open();
      const key = await put(store, "short");
      expect((await console.send(`/api/artifacts/${key}?${query}`)).status).toBe(400);
    },
  );
});

const images = {
  "image/png": [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13],
  "image/jpeg": [0xff, 0xd8, 0xff, 0xe0, 0, 0x10],
  "image/gif": [...new TextEncoder().encode("GIF89a"), 1, 0],
  "image/webp": [
    ...new TextEncoder().encode("RIFF"),
    4,
    0,
    0,
    0,
    ...new TextEncoder().encode("WEBPVP8 "),
  ],
  "image/avif": [0, 0, 0, 0x1c, ...new TextEncoder().encode("ftypavif"), 0, 0, 0, 0],
} as const;

describe("binary content", () => {
  test.each(Object.entries(images))(
    "of %s is displayed, by its first bytes",
    async (type, bytes) => {
      const { console, store } = open();
      const data = Uint8Array.from([...bytes, ...Array.from({ length: 50 }, (_, index) => index)]);
      const key = await put(store, data, "application/octet-stream");
      const { image, text } = await read(console, key);
      const dataUrl = `data:${type};base64,${Buffer.from(data).toString("base64")}`;
      expect([image, text]).toEqual([{ mediaType: type, dataUrl }, undefined]);
    },
  );

  test.each([
    ["SVG", "<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml"],
    ["HTML that says it is a PNG", "<html><script>alert(1)</script>", "image/png"],
  ])("that is %s is never displayed as an image", async (_, content, type) => {
    const { console, store } = open();
    expect((await read(console, await put(store, content, type))).image).toBeUndefined();
  });

  test("of more than 1 MiB is not displayed", async () => {
    const { console, store } = open();
    const bytes = new Uint8Array(1_048_577);
    bytes.set(images["image/png"]);
    expect((await read(console, await put(store, bytes, "image/png"))).image).toBeUndefined();
  });

  test("is downloaded as bytes of no type, in which known secrets are overwritten", async () => {
    const { console, store } = open();
    const bytes = Uint8Array.from([0, 1, 0xff, ...new TextEncoder().encode(secret), 0xfe, 0]);
    const key = await put(store, bytes, "image/png");
    const { headers, status, text } = await console.send(`/api/artifacts/${key}/bytes`);
    expect([status, headers.get("content-type"), headers.get("content-disposition")]).toEqual([
      200,
      "application/octet-stream",
      `attachment; filename="${key}.bin"`,
    ]);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(text).toContain("*".repeat(secret.length));
  });
});

test("a long text is downloaded whole, and a secret between two pieces is masked", async () => {
  const { console, store } = open();
  const start = "é".repeat((1_048_576 - 10) / 2);
  const key = await put(store, `${start}${secret}${start}`);
  const { text } = await console.send(`/api/artifacts/${key}/bytes`);
  expect(text.startsWith(start)).toBe(true);
  expect(text.endsWith(start)).toBe(true);
  expect(text.length).toBeLessThan(2 * start.length + secret.length);
});

describe("a search", () => {
  const search = async (console: CheckedConsole, path: string): Promise<ArtifactMatches> =>
    (await console.send<ArtifactMatches>(`/api/artifacts/${path}`)).body;

  test("finds lines and offsets, in any case and literally", async () => {
    const { console, store } = open();
    const key = await put(store, "é one.\nTWO (one)\nthree\nOne.");
    expect(await search(console, `${key}/search?q=one`)).toEqual({
      items: [
        { line: 1, offset: 3, text: expect.stringContaining("one") as string },
        { line: 2, offset: 13, text: expect.stringContaining("(one)") as string },
        { line: 4, offset: 24, text: "One." },
      ],
    });
    const literal = await search(console, `${key}/search?q=${encodeURIComponent("(o")}`);
    expect(literal.items.map(({ line }) => line)).toEqual([2]);
    const page = await read(console, `${key}?offset=24&length=3`);
    expect(page.text).toBe("One");
  });

  test("does not find a secret, nor display one beside a match", async () => {
    const { console, store } = open();
    const key = await put(store, `the token is ${secret} here`);
    expect((await search(console, `${key}/search?q=${secret}`)).items).toEqual([]);
    expect((await search(console, `${key}/search?q=token`)).items).toHaveLength(1);
  });

  test("has at most 100 matches, and continues after them", async () => {
    const { console, store } = open();
    const key = await put(store, "x\n".repeat(150));
    const first = await search(console, `${key}/search?q=x`);
    expect([first.items.length, first.nextOffset]).toEqual([100, 200]);
    const second = await search(console, `${key}/search?q=x&offset=${first.nextOffset}`);
    expect([second.items.length, second.items[0]?.line, second.nextOffset]).toEqual([
      50,
      101,
      undefined,
    ]);
  });

  test("of binary content is 409, and without a text 400", async () => {
    const { console, store } = open();
    const key = await put(store, Uint8Array.of(1, 2, 3), "image/png");
    const { status, body } = await console.send(`/api/artifacts/${key}/search?q=x`);
    expect([status, body["code"]]).toEqual([409, "not_searchable"]);
    expect((await console.send(`/api/artifacts/${key}/search`)).status).toBe(400);
  });
});

test.each(["own", "all"] as const)(
  "with the owners %s, others' artifacts are so read",
  async (owners) => {
    const { console, store } = open(owners);
    const own = await put(store, "own", "text/plain", '["session","ada"]');
    const others = [
      await put(store, "bob's", "text/plain", '[null,"bob"]'),
      await put(store, "no caller's", "text/plain", "[null,null]"),
    ];
    const paths = (key: string): readonly string[] => [key, `${key}/search?q=x`, `${key}/bytes`];
    for (const path of paths(own)) {
      expect((await console.send(`/api/artifacts/${path}`)).status).toBe(200);
      expect((await console.send(`/api/artifacts/${path}`, { as: "agent" })).status).toBe(200);
    }
    for (const path of others.flatMap(paths)) {
      const { status } = await console.send(`/api/artifacts/${path}`);
      expect(status).toBe(owners === "all" ? 200 : 404);
      expect((await console.send(`/api/artifacts/${path}`, { as: "agent" })).status).toBe(404);
    }
  },
);

test("an artifact whose owner no executor has derived is not read", async () => {
  const { console, store } = open("all");
  const key = await put(store, "x", "text/plain", "root");
  expect((await console.send(`/api/artifacts/${key}`)).status).toBe(404);
});

test.each(["art_x", "unknown", `art_${"f".repeat(32)}`])("the key %s is 404", async (key) => {
  const { console } = open();
  const { status, body } = await console.send(`/api/artifacts/${key}`);
  expect([status, body["code"]]).toEqual([404, "not_found"]);
});

test("an artifact that another process has left in a file is read", async () => {
  const path = join(tempFolder(), "store.db");
  const [first, second] = [sqliteStore({ path }), sqliteStore({ path })];
  onTestFinished(async () => {
    await first.close();
    await second.close();
  });
  const key = await put(first.artifacts, `left ${secret}`, "text/plain", '["mcp","claude"]');
  const console = new CheckedConsole([], { artifacts: second.artifacts }, { owners: "all" });
  expect((await read(console, key)).text).toBe("left [redacted]");
});
