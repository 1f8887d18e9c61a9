import type { ContentBlock, ToolOutcome } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { toOutcomeView, type BinaryView } from "../../src/calls/outcome-view.ts";
import { TestConsole } from "../support/test-console.ts";

const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

async function view(content: readonly ContentBlock[]): Promise<readonly unknown[]> {
  const outcome = {
    status: "completed",
    ok: true,
    result: {
      callId: "1",
      toolName: "t",
      content,
      artifacts: [],
      isError: false,
      durationMs: 1,
      timestamp: 1,
      provider: { raw: "not for clients" },
    },
  } as unknown as ToolOutcome;
  const outcomeView = await toOutcomeView(new TestConsole().executor, outcome);
  expect(JSON.stringify(outcomeView)).not.toContain("not for clients");
  return outcomeView.result?.content ?? [];
}

const image = (bytes: Uint8Array, mimeType = "image/png"): ContentBlock => ({
  type: "image",
  mimeType,
  data: Buffer.from(bytes).toString("base64"),
});

describe("an image of an outcome", () => {
  test("is sent as a data URL with the type that its bytes have", async () => {
    expect(await view([image(png, "text/html")])).toEqual([
      {
        type: "image",
        mediaType: "text/html",
        bytes: 16,
        dataUrl: `data:image/png;base64,${png.toString("base64")}`,
      },
    ]);
  });

  test.each([
    ["SVG", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")],
    ["HTML", Buffer.from("<script>alert(1)</script>")],
    ["PDF", Buffer.from("%PDF-1.7")],
    ["PNG of more than 1 MiB", Buffer.concat([png, Buffer.alloc(1_048_576)])],
  ])("that is %s is sent without its data", async (_, bytes) => {
    const content = (await view([image(bytes)])) as readonly BinaryView[];
    expect(content).toEqual([{ type: "image", mediaType: "image/png", bytes: bytes.length }]);
  });

  test("that is not base64 has no data", async () => {
    const block = { type: "image", mimeType: "image/png", data: "%%%" } as const;
    expect(await view([block])).toEqual([{ type: "image", mediaType: "image/png", bytes: 0 }]);
  });
});

test("a sound and a file are sent without their data, and texts are unchanged", async () => {
  const blob = Buffer.from("PK").toString("base64");
  const texts = [
    { type: "text", text: "<b>bold</b>" },
    { type: "resource", resource: { uri: "file:///a.txt", text: "a" } },
  ] as const;
  expect(
    await view([
      { type: "audio", mimeType: "audio/wav", data: blob },
      { type: "resource", resource: { uri: "file:///a.zip", mimeType: "application/zip", blob } },
      ...texts,
    ]),
  ).toEqual([
    { type: "audio", mediaType: "audio/wav", bytes: 2 },
    { type: "resource", mediaType: "application/zip", bytes: 2, uri: "file:///a.zip" },
    ...texts,
  ]);
});
