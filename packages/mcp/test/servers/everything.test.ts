import { gunzipSync } from "node:zlib";
import type { JsonObject, ToolResult } from "@toolweave/core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { LogMessage } from "../../src/options/server-request-options.ts";
import type { McpProviderCall, McpProviderChange } from "../../src/options/provider.ts";
import {
  everythingHost,
  names,
  readText,
  toolsForEverybody,
  toolsThatAsk,
  type EverythingHost,
} from "../support/everything-host.ts";
import { everythingTransports } from "../support/everything-server.ts";
import { findTool } from "../support/open-source.ts";

const now: McpProviderCall = { signal: new AbortController().signal };

describe.each(everythingTransports)("server-everything over %s", (transport) => {
  const logs: LogMessage[] = [];
  const changes: McpProviderChange[] = [];
  let host: EverythingHost;

  const call = (name: string, args?: JsonObject): Promise<ToolResult> => host.call(name, args);
  const callBinary = (name: string, args: JsonObject): Promise<ToolResult> =>
    host.call(name, args, { inlineBinary: true });

  beforeAll(async () => {
    host = await everythingHost(transport, {
      env: { GREETING: "hello", SOME_TOKEN: "t0psecret" },
      resources: true,
      prompts: true,
      roots: [],
      onElicitation: () => ({ action: "cancel" }),
      onSampling: () => {
        throw new Error("There is no model.");
      },
      onLog: (message) => void logs.push(message),
    });
    host.source.provider.onChange((change) => void changes.push(change));
  });
  afterAll(() => host.close());

  it("lists every tool, also those that require client capabilities", () => {
    const ours = ["get_prompt", "list_prompts", "list_resource_templates", "list_resources"];
    expect(names(host.source)).toEqual(
      [
        ...toolsForEverybody,
        ...toolsThatAsk,
        ...ours,
        "get-roots-list",
        "read_resource",
        "trigger-sampling-request",
      ].sort(),
    );
    expect(host.source.problems).toEqual([]);
    expect(findTool(host.source, "get-structured-content").spec).toMatchObject({
      title: "Get Structured Content Tool",
      description:
        "Returns structured content along with an output schema for client data validation",
      inputSchema: { required: ["location"] },
      outputSchema: { required: ["temperature", "conditions", "humidity"] },
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    });
  });

  it("returns text, and an error for invalid arguments", async () => {
    expect(readText(await call("echo", { message: "grüße 👋" }))).toBe("Echo: grüße 👋");
    expect(readText(await call("get-sum", { a: 1.5, b: 2 }))).toBe("The sum of 1.5 and 2 is 3.5.");
    const wrong = await call("get-resource-reference", { resourceType: "Text", resourceId: 0.5 });
    expect(wrong.isError).toBe(true);
    expect(readText(wrong)).toMatch(/Invalid resourceId: 0.5/);
    expect(
      await host.executor.execute({ id: "1", name: "get-sum", arguments: { a: "one", b: 2 } }),
    ).toMatchObject({ status: "failed", error: { code: "invalid_arguments" } });
  });

  it("returns images, links, embedded resources and annotations unchanged", async () => {
    const { content: image } = await call("get-tiny-image");
    expect(image.map(({ type }) => type)).toEqual(["text", "image", "text"]);
    const [, picture] = image;
    if (picture?.type !== "image") throw new Error("It is not a picture.");
    expect(Buffer.from(picture.data, "base64").subarray(1, 4).toString()).toBe("PNG");

    const { content: links } = await call("get-resource-links", { count: 2 });
    expect(links.slice(1)).toEqual([
      {
        type: "resource_link",
        uri: "demo://resource/dynamic/blob/1",
        name: "Blob Resource 1",
        description: "Resource 1: plaintext resource",
        mimeType: "text/plain",
      },
      {
        type: "resource_link",
        uri: "demo://resource/dynamic/text/2",
        name: "Text Resource 2",
        description: "Resource 2: plaintext resource",
        mimeType: "text/plain",
      },
    ]);
    const reference = { resourceType: "Text", resourceId: 3 };
    expect((await call("get-resource-reference", reference)).content[1]).toMatchObject({
      type: "resource",
      resource: {
        uri: "demo://resource/dynamic/text/3",
        text: expect.stringMatching(/^Resource 3/),
      },
    });
    const binary = { resourceType: "Blob", resourceId: 3 };
    expect((await callBinary("get-resource-reference", binary)).content[1]).toMatchObject({
      type: "resource",
      resource: {
        uri: "demo://resource/dynamic/blob/3",
        blob: expect.stringMatching(/^\w+=*$/),
      },
    });
    // A model does not see base64, but its location.
    const { content, artifacts } = await call("get-resource-reference", binary);
    expect(artifacts).toMatchObject([{ mediaType: "text/plain", name: "3" }]);
    expect(content[1]).toMatchObject({ text: expect.stringContaining(artifacts[0]?.key ?? "") });

    const annotated = { messageType: "error", includeImage: true };
    expect((await call("get-annotated-message", annotated)).content).toEqual([
      {
        type: "text",
        text: "Error: Operation failed",
        annotations: { priority: 1, audience: ["user", "assistant"] },
      },
      {
        type: "image",
        data: expect.any(String),
        mimeType: "image/png",
        annotations: { priority: 0.5, audience: ["user"] },
      },
    ]);
  });

  it("returns structured content as the value", async () => {
    const result = await call("get-structured-content", { location: "New York" });
    expect(result.value).toEqual({ temperature: 33, conditions: "Cloudy", humidity: 82 });
    expect(JSON.parse(readText(result))).toEqual(result.value);
  });

  it("compresses a file, returns it and lists it", async () => {
    const data = "data:text/plain,Mr.%20Knightley";
    const embedded = { name: "a.gz", data, outputType: "resource" };
    const { content } = await callBinary("gzip-file-as-resource", embedded);
    const [block] = content;
    if (block?.type !== "resource") throw new Error("It is not a resource.");
    expect(gunzipSync(Buffer.from(block.resource.blob ?? "", "base64")).toString()).toBe(
      "Mr. Knightley",
    );
    const [link] = (await call("gzip-file-as-resource", { name: "b.gz", data })).content;
    const uri = "demo://resource/session/b.gz";
    expect(link).toEqual({
      type: "resource_link",
      uri,
      name: "b.gz",
      mimeType: "application/gzip",
    });
    expect((await callBinary("read_resource", { uri })).content).toMatchObject([
      { type: "resource", resource: { uri, mimeType: "application/gzip" } },
    ]);
    const { value } = await call("list_resources");
    expect((value as { resources: JsonObject[] }).resources).toContainEqual({
      uri,
      name: "b.gz",
      mimeType: "application/gzip",
    });
    await vi.waitFor(() => expect(changes).toContainEqual({ type: "resources" }), 60_000);
  });

  it("reports progress", async () => {
    const reported: unknown[] = [];
    const stop = host.executor.on((event) => {
      // The server logs in between, when it has the host's roots.
      const { progress } = event as Partial<Extract<typeof event, { type: "tool.progressed" }>>;
      if (progress?.done !== undefined) reported.push(progress);
    });
    const result = await call("trigger-long-running-operation", { duration: 0.1, steps: 4 });
    stop();
    expect(readText(result)).toBe(
      "Long running operation completed. Duration: 0.1 seconds, Steps: 4.",
    );
    expect(reported).toEqual([1, 2, 3, 4].map((done) => ({ done, total: 4 })));
  });

  it("writes a log if it is enabled", async () => {
    logs.length = 0;
    expect(readText(await call("toggle-simulated-logging"))).toMatch(/^Started simulated/);
    await vi.waitFor(
      () =>
        expect(logs).toContainEqual({
          server: "everything",
          level: expect.any(String),
          data: expect.stringMatching(/level.message/i),
        }),
      60_000,
    );
    expect(readText(await call("toggle-simulated-logging"))).toMatch(/^Stopped simulated/);
  });

  it("notifies of subscribed resources only", async () => {
    changes.length = 0;
    const { subscribe, unsubscribe } = host.source.provider.resources ?? {};
    const [wanted, other] = [1, 2].map((id) => `demo://resource/dynamic/text/${id}`);
    await subscribe?.(wanted ?? "");
    await subscribe?.(other ?? "");
    await unsubscribe?.(other ?? "");
    expect(readText(await call("toggle-subscriber-updates"))).toMatch(/^Started simulated/);
    await vi.waitFor(
      () => expect(changes).toContainEqual({ type: "resource", uri: wanted }),
      60_000,
    );
    expect(changes).not.toContainEqual({ type: "resource", uri: other });
    expect(readText(await call("toggle-subscriber-updates"))).toMatch(/^Stopped simulated/);
    await unsubscribe?.(wanted ?? "");
    expect(logs.filter(({ data }) => /Received (Uns|S)ubscribe/.test(String(data)))).toHaveLength(
      4,
    );
  });

  it("has resources and templates", async () => {
    const { value } = await call("list_resources");
    const { resources } = value as { resources: JsonObject[] };
    const documents = resources.filter(({ uri }) => /static\/document/.test(String(uri)));
    expect(documents.map(({ name }) => name)).toEqual([
      "architecture.md",
      "extension.md",
      "features.md",
      "how-it-works.md",
      "instructions.md",
      "startup.md",
      "structure.md",
    ]);
    const { content } = await call("read_resource", { uri: String(documents[0]?.["uri"]) });
    expect(content).toMatchObject([
      {
        type: "resource",
        resource: { mimeType: "text/markdown", text: expect.stringMatching(/^# /) },
      },
    ]);
    const templates = await call("list_resource_templates");
    expect(templates.value).toMatchObject({
      resourceTemplates: [
        { uriTemplate: "demo://resource/dynamic/text/{resourceId}", mimeType: "text/plain" },
        { uriTemplate: "demo://resource/dynamic/blob/{resourceId}" },
      ],
    });
    const dynamic = await call("read_resource", { uri: "demo://resource/dynamic/text/5" });
    expect(dynamic.content).toMatchObject([
      { type: "resource", resource: { text: expect.stringMatching(/^Resource 5: This is/) } },
    ]);
    await expect(
      host.executor.execute({
        id: "1",
        name: "read_resource",
        arguments: { uri: "demo://nowhere" },
      }),
    ).resolves.toMatchObject({ status: "failed", error: { code: "not_found" } });
  });

  it("has prompts, with and without arguments, and one with a resource in it", async () => {
    const { value } = await call("list_prompts");
    expect(value).toMatchObject({
      prompts: [
        { name: "simple-prompt", title: "Simple Prompt" },
        {
          name: "args-prompt",
          arguments: [
            { name: "city", required: true },
            { name: "state", required: false },
          ],
        },
        { name: "completable-prompt", arguments: [{ name: "department" }, { name: "name" }] },
        { name: "resource-prompt" },
      ],
    });
    const prompt = async (name: string, args?: JsonObject): Promise<ToolResult> =>
      call("get_prompt", { name, ...(args === undefined ? {} : { arguments: args }) });
    expect(readText(await prompt("simple-prompt"))).toContain("This is a simple prompt");
    expect(readText(await prompt("args-prompt", { city: "Highbury", state: "Surrey" }))).toContain(
      "What's weather in Highbury, Surrey?",
    );
    expect(readText(await prompt("args-prompt", { city: "Highbury" }))).toContain("in Highbury?");
    const embedded = await prompt("resource-prompt", { resourceType: "Text", resourceId: "4" });
    expect(embedded.content).toContainEqual({
      type: "resource",
      resource: expect.objectContaining({ uri: "demo://resource/dynamic/text/4" }),
    });
    await expect(
      host.executor.execute({ id: "1", name: "get_prompt", arguments: { name: "args-prompt" } }),
    ).resolves.toMatchObject({ status: "failed", error: { code: "invalid_arguments" } });
  });

  it("completes arguments of prompts, with the chosen ones, and of templates", async () => {
    const complete = async (
      ref: JsonObject,
      name: string,
      value: string,
      context?: JsonObject,
    ): Promise<unknown> => {
      const given = { ref, argument: { name, value }, ...(context && { context }) };
      const { completion } = (await host.source.provider.complete?.(given, now)) ?? {};
      return (completion as JsonObject)["values"];
    };
    const prompt = { type: "ref/prompt", name: "completable-prompt" };
    expect(await complete(prompt, "department", "S")).toEqual(["Sales", "Support"]);
    const context = { arguments: { department: "Sales" } };
    expect(await complete(prompt, "name", "", context)).toEqual(["David", "Eve", "Frank"]);
    const template = { type: "ref/resource", uri: "demo://resource/dynamic/text/{resourceId}" };
    expect(await complete(template, "resourceId", "7")).toEqual(["7"]);
    expect(await complete(template, "resourceId", "x")).toEqual([]);
  });

  it("has its own environment", async () => {
    const environment = JSON.parse(readText(await call("get-env"))) as Record<string, string>;
    expect(environment["PATH"]).toBe(process.env["PATH"]);
    expect(environment["VITEST"]).toBeUndefined();
    if (transport !== "stdio") return;
    expect(environment["GREETING"]).toBe("hello");
    // Only the server has it.
    expect(environment["SOME_TOKEN"]).not.toContain("t0psecret");
  });
});
