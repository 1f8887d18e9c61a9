import { setImmediate as turn } from "node:timers/promises";
import type { ToolOutput } from "@toolweave/core";
import { hanging, ofTool, type Mutant } from "./mutant.ts";

const piece = (byte: number): Uint8Array => new Uint8Array(10_000).fill(byte);

async function* pieces(): AsyncIterable<Uint8Array> {
  for (let index = 0; index < 8; index++) yield piece(128 + index);
}

export const largeMutants: readonly Mutant[] = [
  ofTool("TW-LARGE-001", "dump", "a tool that clips its output itself", (tool) => ({
    invoke: async (args, ctx) => {
      const all = String(await tool.invoke(args, ctx));
      return `${all.slice(0, 10_000)}\n… (truncated)`;
    },
  })),
  ofTool("TW-LARGE-002", "export_bytes", "a stream that can be read once", () => {
    const stream = pieces();
    return { invoke: () => stream };
  }),
  ofTool("TW-LARGE-003", "dump", "a buffer that all calls share", () => {
    const lines: string[] = [];
    return {
      invoke: async ({ day = "monday" }) => {
        lines.length = 0;
        for (let line = 0; line < 3000; line++) {
          lines.push(`${String(day)} nothing happened\n`);
          if (line % 1000 === 0) await turn();
        }
        return lines.join("");
      },
    };
  }),
  hanging(
    ofTool("TW-LARGE-004", "export_bytes", "a stream that waits for a goodbye", () => ({
      invoke: async function* (_, { signal }) {
        for await (const bytes of pieces()) {
          yield bytes;
          await turn();
          if (signal.aborted) await new Promise(() => {});
        }
      },
    })),
  ),
  ofTool("TW-LARGE-005", "export_bytes", "a stream that ends with a trailer in any case", () => ({
    invoke: async function* () {
      try {
        yield* pieces();
      } finally {
        yield piece(7);
      }
    },
  })),
  hanging(
    ofTool("TW-LARGE-005", "export_bytes", "a stream that closes when all of it was read", () => ({
      invoke: async function* () {
        let left = 8;
        let close = (): void => {};
        const closed = new Promise<void>((resolve) => (close = resolve));
        try {
          for await (const bytes of pieces()) {
            left -= 1;
            if (left === 0) close();
            yield bytes;
          }
        } finally {
          await closed;
        }
      },
    })),
  ),
  ofTool("TW-LARGE-006", "export_table", "JSON lines that are called JSON", () => ({
    invoke: async (_, { artifacts }) => {
      const lines = Array.from({ length: 3000 }, (_, row) => JSON.stringify({ row })).join("\n");
      const ref = await artifacts.write(lines, { mediaType: "application/json" });
      return { content: [{ type: "text", text: "Exported." }], artifacts: [ref] };
    },
  })),
  ofTool("TW-LARGE-007", "dump", "all of it as details, too", (tool) => ({
    invoke: async (args, ctx) => {
      const text = String(await tool.invoke(args, ctx));
      return { content: [{ type: "text", text }], details: { raw: text } } satisfies ToolOutput;
    },
  })),
  ofTool("TW-LARGE-008", "export_bytes", "bytes that are sent as a text", () => ({
    invoke: () => Buffer.alloc(90_000, "Toolweave 2026").toString("base64"),
  })),
];
