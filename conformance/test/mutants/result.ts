import { readFileSync } from "node:fs";
import { ofTool, ofTools, withInvoke, type Mutant } from "./mutant.ts";

const png = "iVBORw0KGgo=";

export const resultMutants: readonly Mutant[] = [
  ofTool("TW-RESULT-001", "draw", "a block of a type that does not exist", () => ({
    invoke: () => ({ content: [{ type: "json", json: {} }] }),
  })),
  ofTool("TW-RESULT-002", "draw", "a map as a value", () => ({
    invoke: () => ({
      content: [{ type: "text", text: "a: 1" }],
      value: new Map([["a", 1]]) as never,
    }),
  })),
  ofTool("TW-RESULT-003", "add", "a number as a text", () => ({
    invoke: ({ a, b }) => ({
      content: [{ type: "text", text: `${Number(a) + Number(b)}` }],
      value: `${Number(a) + Number(b)}`,
    }),
  })),
  ofTool("TW-RESULT-004", "add", "structured output that was forgotten", () => ({
    invoke: ({ a, b }) => ({ content: [{ type: "text", text: `${Number(a) + Number(b)}` }] }),
  })),
  ofTool("TW-RESULT-005", "draw", "an image as a data URL", () => ({
    invoke: () => [{ type: "image", data: `data:image/png;base64,${png}`, mimeType: "image/png" }],
  })),
  ofTool("TW-RESULT-005", "draw", "an image whose type is the ending of a file", () => ({
    invoke: () => [{ type: "image", data: png, mimeType: "png" }],
  })),
  ofTool("TW-RESULT-006", "draw", "a resource with its text and its bytes", () => ({
    invoke: () => [{ type: "resource", resource: { uri: "memo:dot", text: ".", blob: "Lg==" } }],
  })),
  ofTool("TW-RESULT-006", "draw", "a resource that has a uri and nothing else", () => ({
    invoke: () => [{ type: "resource", resource: { uri: "memo:dot" } }],
  })),
  ofTool("TW-RESULT-007", "draw", "a path for a uri", () => ({
    invoke: () => [{ type: "resource_link", uri: "./images/dot.png", name: "dot" }],
  })),
  ofTool("TW-RESULT-008", "draw", "a response with its headers as details", () => ({
    invoke: () => ({
      content: [{ type: "text", text: "." }],
      details: { headers: new Headers({ etag: "1" }) } as never,
    }),
  })),
  ofTool("TW-RESULT-009", "draw", "an image that was read as text", () => ({
    invoke: () => Buffer.from(`${png.slice(0, -1)}0AAAANSUhEUgAA`, "base64").toString("utf8"),
  })),
  ofTool("TW-RESULT-009", "greet", "a compressed result that is not decompressed", () => ({
    invoke: () => Buffer.from(Array.from({ length: 60 }, (_, index) => 128 + index)).toString(),
  })),
  ofTool("TW-RESULT-010", "greet", "an artifact that an earlier run has stored", () => {
    const key = `art_${"0".repeat(32)}`;
    return {
      invoke: () => ({
        content: [{ type: "text", text: "hello" }],
        artifacts: [{ key, mediaType: "text/plain", size: 5 }],
      }),
    };
  }),
  ofTool("TW-RESULT-011", "draw", "a priority in percent", () => ({
    invoke: () => [{ type: "text", text: ".", annotations: { priority: 80 } }],
  })),
  ofTool("TW-RESULT-011", "draw", "one reader in place of a list", () => ({
    invoke: () => [{ type: "text", text: ".", annotations: { audience: "user" as never } }],
  })),
  ofTool("TW-RESULT-012", "greet", "a text that is cut within a character", () => ({
    invoke: () => "hello 🙂".slice(0, 7),
  })),
  ofTool("TW-RESULT-013", "draw", "every image is declared as a JPEG", () => ({
    invoke: () => [{ type: "image", data: png, mimeType: "image/jpeg" }],
  })),
  ofTool("TW-RESULT-014", "greet", "JSON that is stringified twice", () => ({
    invoke: () => JSON.stringify(JSON.stringify({ hello: "world" })),
  })),
  ofTool("TW-RESULT-015", "draw", "structured content without text", () => ({
    invoke: ({ shape }) => ({ content: [], value: { shape: shape ?? "dot" } }),
  })),
  ofTool("TW-RESULT-016", "greet", "a block for each line", () => ({
    invoke: () => ({
      content: readFileSync(import.meta.filename, "utf8")
        .repeat(3)
        .split("\n")
        .map((text) => ({ type: "text" as const, text })),
    }),
  })),
  ofTools("TW-RESULT-018", "a file's full path as an artifact's name", (tools) =>
    withInvoke(tools, "export_table", async (_, { artifacts }) => {
      const rows = ["day,event\n", ...Array.from({ length: 3000 }, (_, row) => `${row},nothing\n`)];
      const data = ReadableStream.from([rows.join("")]);
      const ref = await artifacts.write(data, { mediaType: "text/csv", name: "../logs/log.csv" });
      return { content: [{ type: "text", text: "Exported." }], artifacts: [ref] };
    }),
  ),
];
