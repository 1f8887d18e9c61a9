import { describe, expect, test } from "vitest";
import type { ContentBlock } from "@toolweave/core";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { completed } from "../support/outcomes.ts";

const secret = `pa55/w&rd<"é'=7>`;
const plain = "tok_4f9a0c2b7d1e";
const token = `ghp_${"a1B2".repeat(9)}`;

const units = (text: string, write: (code: number) => string): string =>
  [...text].map((char) => write(char.codePointAt(0) as number)).join("");
const hex = (code: number): string => code.toString(16);
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const percent = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${hex(byte).padStart(2, "0")}`).join("");

const entities = (text: string): string => units(text, (code) => `&#${code};`);
const names: Readonly<Record<string, string>> = {
  "/": "&sol;",
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "=": "&equals;",
  _: "&lowbar;",
};

/** Encodings of a text that are not a plain copy of it. */
const writings: readonly [string, (text: string) => string][] = [
  ["decimal references", entities],
  ["hexadecimal references", (text) => units(text, (code) => `&#x${hex(code)};`)],
  ["references in capitals", (text) => units(text, (code) => `&#X${hex(code).toUpperCase()};`)],
  [
    "references with leading zeros",
    (text) => units(text, (code) => `&#${`${code}`.padStart(7, "0")};`),
  ],
  [
    "references without semicolons",
    (text) => units(text, (code) => `&#${`${code}`.padStart(10, "0")}`),
  ],
  ["one reference", (text) => text.replace("a", "&#97;").replace("f", "&#x66;")],
  ["named references", (text) => text.replaceAll(/[/&<>"'=_]/g, (char) => names[char] as string)],
  ["references in JSON", (text) => JSON.stringify(entities(text)).replaceAll("&", "\\u0026")],
  ["references twice", (text) => entities(text).replaceAll("&", "&amp;")],
  ["references, percent-encoded", (text) => encodeURIComponent(entities(text))],
  ["percent-encoding as references", (text) => entities(encodeURIComponent(text))],
  ["JSON as references", (text) => entities(JSON.stringify(text))],
  [
    "\\x and \\u{}",
    (text) => units(text, (c) => (c % 2 ? `\\x${hex(c).padStart(2, "0")}` : `\\u{${hex(c)}}`)),
  ],
  ["\\U", (text) => units(text, (code) => `\\U${hex(code).padStart(8, "0")}`)],
  ["\\x in JSON", (text) => JSON.stringify(units(text, (c) => `\\x${hex(c).padStart(2, "0")}`))],
  ["%u", (text) => units(text, (code) => `%u${hex(code).padStart(4, "0")}`)],
  ["escapes with a percent sign", (text) => percent(text).replaceAll("%", "\\u0025")],
  ["a data: URL", (text) => `data:text/plain,${encodeURIComponent(text)}`],
  ["a data: URL of references", (text) => `data:text/html,${encodeURIComponent(entities(text))}`],
  ["a data: URL of base64", (text) => `<a href="data:text/plain;base64,${base64(`a ${text} b`)}">`],
  [
    "a data: URL with a charset, of references in base64",
    (text) => `data:text/html;charset=utf-8;base64,${base64(`<p>${entities(text)}</p>`)}`,
  ],
  [
    "a data: URL of base64url without padding",
    (text) => `data:;base64,${Buffer.from(`?${text}`).toString("base64url")}`,
  ],
  [
    "a data: URL of base64 with escapes of JSON",
    (text) =>
      `url(data:application/json;base64,${base64(units(text, (c) => `\\u${hex(c).padStart(4, "0")}`))})`,
  ],
];

async function modelText(
  block: ContentBlock | string,
  secrets: readonly string[],
): Promise<string> {
  const executor = executorFor(
    tool("t", () => (typeof block === "string" ? block : [block])),
    { redact: { secrets }, largeOutputs: { onOverflow: "clip" } },
  );
  return JSON.stringify(completed(await executor.execute(call("t"))).result.content);
}

describe("a registered secret in another encoding", () => {
  test.each(writings)("is found as %s", async (_, write) => {
    for (const one of [secret, plain]) {
      const written = write(one);
      const text = await modelText(`before ${written} after`, [one]);
      expect(text).toContain("[redacted]");
      const middle = Math.floor(written.length * 0.7);
      expect((JSON.parse(text) as [{ text: string }])[0].text).not.toContain(
        written.slice(middle - 4, middle + 4),
      );
      expect(text).toMatch(/^\[\{"type":"text","text":"before .* after"\}\]$/);
    }
  });

  test.each(writings)("is not found where it is not: %s", async (_, write) => {
    const written = write("nothing/se_cret=7af");
    const text = await modelText(`before ${written} after`, [secret, plain]);
    expect(text).toBe(JSON.stringify([{ type: "text", text: `before ${written} after` }]));
  });

  test("is found if updates cut a reference in two", async () => {
    const written = `${entities(plain)} end`;
    for (let at = 1; at < written.length; at++) {
      const seen: string[] = [];
      const split = tool("t", (_, ctx) => {
        for (const part of [written.slice(0, at), written.slice(at)]) {
          void ctx.update({ content: [{ type: "text", text: part }] });
        }
        return "done";
      });
      const executor = executorFor(split, { redact: { secrets: [plain] } });
      await executor.execute(call("t"), {
        onUpdate: ({ content: [block] }) =>
          void seen.push(block?.type === "text" ? block.text : ""),
      });
      // Half of a reference has no meaning: the rest must not be the complete one.
      const emitted = seen
        .join("")
        .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
      expect(emitted).not.toContain(plain);
    }
  });
});

describe("a registered secret in hexadecimal", () => {
  test.each(["hex", "HEX"])("is found as %s, also next to other digits", async (letters) => {
    for (const one of [secret, plain]) {
      const digits = Buffer.from(one).toString("hex");
      const written = letters === "HEX" ? digits.toUpperCase() : digits;
      expect(await modelText(`before 0x${written}00 after`, [one])).toBe(
        JSON.stringify([{ type: "text", text: "before 0x[redacted]00 after" }]),
      );
    }
    const other = Buffer.from("nothing").toString("hex");
    expect(await modelText(other, [secret, plain])).toContain(other);
  });
});

describe("a secret in bytes", () => {
  const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, "utf16le");
  const swapped = (text: string): Buffer => utf16(text).swap16();
  const types = ["text/plain;charset=utf-16", "application/octet-stream", "application/x-unknown"];

  test.each(
    types.flatMap((type) => [
      [type, "little-endian", utf16] as const,
      [type, "big-endian", swapped] as const,
    ]),
  )("of type %s in %s UTF-16 is found", async (mimeType, _, write) => {
    const blob = write(`before ${plain} after`).toString("base64");
    const text = await modelText({ type: "resource", resource: { uri: "a:b", mimeType, blob } }, [
      plain,
    ]);
    const bytes = Buffer.from((JSON.parse(text) as [Resource])[0].resource.blob, "base64");
    const read = bytes.toString("latin1").replaceAll("\0", "");
    expect(read).toContain("before ");
    expect(read).toContain(" after");
    expect(read).not.toContain("4f9a0c2b");
    expect(bytes).toHaveLength(write(`before ${plain} after`).length);
  });

  test("of a text type in UTF-16 is found by its encoding", async () => {
    const blob = utf16(`before ${token} after`).toString("base64");
    const resource = { uri: "a:b", mimeType: "text/plain;charset=utf-16le", blob };
    const text = await modelText({ type: "resource", resource }, []);
    const bytes = Buffer.from((JSON.parse(text) as [Resource])[0].resource.blob, "base64");
    expect(bytes.toString("latin1").replaceAll("\0", "")).not.toContain(token.slice(0, 12));
  });

  test.each([
    "message/rfc822",
    "multipart/mixed",
    "application/x-javascript",
    "application/typescript",
    "application/x-python",
    "application/jwt",
    "application/x-sh",
    "application/ld+json",
    "text/html",
  ])(
    "of a type that is text (%s) is found by its encoding and by its references",
    async (mimeType) => {
      // Not valid UTF-8.
      const bytes = Buffer.concat([
        Buffer.from([0xe9, 0x20]),
        Buffer.from(`${token} ${entities(plain)}`),
      ]);
      const blob = bytes.toString("base64");
      const text = await modelText({ type: "resource", resource: { uri: "a:b", mimeType, blob } }, [
        plain,
      ]);
      const read = Buffer.from(
        (JSON.parse(text) as [Resource])[0].resource.blob,
        "base64",
      ).toString();
      expect(read).not.toContain(token.slice(0, 12));
      expect(read).not.toContain("&#116;&#111;");
    },
  );

  test("that contain none are the same object", async () => {
    const blob = Buffer.from([0, 1, 2, 3, 0, 255, 0x74, 0, 0x6f]).toString("base64");
    const resource = { uri: "a:b", mimeType: "application/zip", blob };
    const text = await modelText({ type: "resource", resource }, [plain]);
    expect(JSON.parse(text)).toEqual([{ type: "resource", resource }]);
  });
});

interface Resource {
  readonly resource: { readonly blob: string };
}

describe("half of a character", () => {
  const half = "a\ud83db";

  test("becomes U+FFFD wherever a tool puts it", async () => {
    const output = {
      content: [{ type: "text", text: half }],
      value: { [half]: [half] },
      details: { at: half },
      provider: { at: half },
    };
    const outcome = await executorFor(tool("t", () => output as never)).execute(call("t"));
    const { content, value, details, provider } = completed(outcome).result;
    const read = "a\ufffdb";
    expect({ content, value, details, provider }).toEqual({
      content: [{ type: "text", text: read }],
      value: { [read]: [read] },
      details: { at: read },
      provider: { at: read },
    });
  });

  test("beside a secret hides nothing of it", async () => {
    for (const text of [`\ud83d${plain}`, `${plain}\ude00`, `\ud83d&#116;${plain.slice(1)}`]) {
      expect(await modelText(text, [plain])).not.toContain(plain.slice(1));
    }
    const odd = `${plain}\ud83d`;
    expect(await modelText(`x ${odd} y`, [odd])).not.toContain(plain);
  });
});
