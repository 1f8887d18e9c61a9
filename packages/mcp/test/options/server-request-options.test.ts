import { describe, expect, it } from "vitest";
import { mcpSource, type McpServer } from "../../src/index.ts";

const server = { name: "press", command: "press", connect: "lazy" };

describe("options for server requests", () => {
  it.each([
    [{ onElicitation: true }, "onElicitation takes a function"],
    [{ onSampling: {} }, "onSampling takes a function"],
    [{ onLog: "log" }, "onLog takes a function"],
    [{ roots: "/books" }, "roots takes a list"],
    [{ roots: ["/books"] }, "roots takes a list"],
    [{ roots: [{ uri: "" }] }, "roots takes a list"],
    [{ roots: [{ uri: "https://books.example/" }] }, "roots takes a list"],
  ])("%j is refused", (options, message) => {
    expect(() => mcpSource({ ...server, ...options } as unknown as McpServer)).toThrow(message);
  });
});
