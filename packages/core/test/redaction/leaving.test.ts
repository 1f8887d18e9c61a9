import { describe, expect, test } from "vitest";
import {
  text,
  ToolError,
  toolsSource,
  type ExecutorOptions,
  type ToolOutput,
  type ToolSource,
} from "@toolweave/core";
import { SecretSet } from "@toolweave/core/adapter";
import { memoryArtifacts, type AuditRecord } from "@toolweave/core/stores";
import { call, executorFor, foreignTool, recorded, tool } from "../support/executor-for.ts";
import { completed, failed } from "../support/outcomes.ts";

const secret = "tok_4f9a0c2b7d1e";
const redact = { secrets: [secret] };

function runs(execute: Parameters<typeof tool>[1], options: Partial<ExecutorOptions> = {}) {
  return executorFor(tool("t", execute), { redact, ...options });
}

describe("SE03: a registered secret in the answer of a tool", () => {
  test("is redacted in content, value, details and provider", async () => {
    const executor = runs(() => ({
      content: [
        text(`it is ${secret}`),
        { type: "resource", resource: { uri: `x:${secret}`, text: secret, _meta: { a: secret } } },
        { type: "resource_link", uri: `https://h/${secret}`, name: secret, title: secret },
      ],
      value: { [secret]: [secret], n: 1 },
      details: { deep: [{ secret }] },
      provider: { secret },
    }));
    const { result } = completed(await executor.execute(call("t")));
    expect(JSON.stringify(result)).not.toContain(secret);
    expect(result.content[0]).toEqual(text("it is [redacted]"));
    expect(result.value).toEqual({ "[redacted]": ["[redacted]"], n: 1 });
  });

  test("is redacted in bytes: in text as text, in others without changing the length", async () => {
    const base64 = (data: string | Uint8Array): string => Buffer.from(data).toString("base64");
    const executor = runs(
      () => [
        {
          type: "resource",
          resource: { uri: "a:b", mimeType: "application/json", blob: base64(`{"a":"${secret}"}`) },
        },
        { type: "image", mimeType: "image/png", data: base64(`\0\x01${secret}\xff`) },
      ],
      { largeOutputs: { onOverflow: "clip" } },
    );
    const { result } = completed(await executor.execute(call("t")));
    const serialized = JSON.stringify(result);
    for (const run of serialized.match(/[A-Za-z0-9+/]{12,}/g) ?? []) {
      expect(Buffer.from(run, "base64").toString("latin1")).not.toContain(secret.slice(2, -2));
    }
  });

  test("is found if it is cut between two texts", async () => {
    const executor = runs(() => [text(`a ${secret.slice(0, 7)}`), text(`${secret.slice(7)} b`)]);
    const { result } = completed(await executor.execute(call("t")));
    expect(result.content).toEqual([text("a [redacted]"), text("[redacted] b")]);
  });

  test("is found if empty texts are in the middle of it, and they stay empty", async () => {
    const parts = ["", "a tok_4f9", "", "a0c2b7", "", "d1e b", ""];
    const { result } = completed(await runs(() => parts.map(text)).execute(call("t")));
    const serialized = ["", "a [redacted]", "", "[redacted]", "", "[redacted] b", ""];
    expect(result.content).toEqual(serialized.map(text));
  });

  test("does not reach the store of artifacts", async () => {
    const stored: string[] = [];
    const artifacts = memoryArtifacts();
    const put = artifacts.put.bind(artifacts);
    artifacts.put = (artifact, data) => {
      stored.push(Buffer.from(data).toString());
      return put(artifact, data);
    };
    const executor = runs(
      async (_, ctx) => {
        await ctx.artifacts.write(`{"a":"${secret}"}`, { mediaType: "application/json" });
        await ctx.artifacts.write(Buffer.from(`\0${secret}`), { mediaType: "image/png" });
        return `${"x".repeat(60_000)}${secret}${"y".repeat(60_000)}`;
      },
      { artifacts },
    );
    completed(await executor.execute(call("t")));
    expect(stored).toHaveLength(3);
    expect(stored.join()).not.toContain(secret);
    expect(stored.join()).toContain("xxxx[redacted]yyyy");
  });

  test("does not affect an output that contains none", async () => {
    const value = { a: ["nothing"] };
    const { result } = completed(await runs(() => value).execute(call("t")));
    expect(result.value).toBe(value);
  });
});

describe("SE02: a registered secret in an error", () => {
  test("is redacted in message, body, stack and causes", async () => {
    const executor = runs(() => {
      const cause = Object.assign(new Error(`inner ${secret}`), { request: { auth: secret } });
      throw new ToolError("upstream", `GET /?q=${secret} said no`, {
        status: 401,
        body: { echoed: `Bearer ${secret}` },
        cause: new TypeError("fetch failed", { cause }),
      });
    });
    const { error, result } = failed(await executor.execute(call("t")));
    expect(error).toMatchObject({ code: "upstream", status: 401, retryable: false });
    expect(result.content).toEqual([text("GET /?q=[redacted] said no")]);
    const seen: string[] = [];
    for (let at: unknown = error; at instanceof Error; at = at.cause) {
      seen.push(String(at.stack), at.message, JSON.stringify(at, Object.getOwnPropertyNames(at)));
    }
    expect(seen.length).toBeGreaterThan(6);
    expect(seen.join("\n")).not.toContain(secret);
  });

  test("is found before a long message is truncated", async () => {
    const executor = runs(() => {
      throw new Error(`${"x".repeat(992)}${secret}`);
    });
    const { error } = failed(await executor.execute(call("t")));
    expect(error.message).not.toContain(secret.slice(0, 4));
  });

  test("by name: credentials in URLs and headers are redacted, whatever they are", async () => {
    const executor = runs(() => {
      throw new Error(
        "connect https://h/p?page=2&api_key=abc123&x=1 failed\nAuthorization: Basic Zm9v\nX-API-Key: k1\nAccept: */*",
      );
    });
    const { error } = failed(await executor.execute(call("t")));
    expect(error.message).toContain("?page=2&api_key=[redacted]&x=1 failed");
    expect(error.message).not.toMatch(/abc123|Zm9v|k1/);
    expect(error.message).toContain("Accept: */*");
  });

  test("does not affect an error that contains none", async () => {
    const cause = new Error("why", { cause: { code: 1 } });
    const error = new ToolError("unavailable", "not now", { cause });
    const executor = runs(() => {
      throw error;
    });
    expect(failed(await executor.execute(call("t"))).error).toBe(error);
  });
});

describe("SE03: a registered secret in events and the audit", () => {
  test("is redacted in all fields", async () => {
    const records: AuditRecord[] = [];
    const executor = executorFor(
      [
        tool("t", (_, ctx) => {
          ctx.progress({ message: `at ${secret}` });
          void ctx.update({ content: [text(secret)] });
          return secret;
        }),
        tool("no", () => "", {
          annotations: { needsApprovalHint: true },
          preflight: () => [
            { kind: "network", target: `GET https://h/?a=${secret}`, summary: secret },
          ],
        }),
      ],
      {
        redact,
        eventPayloads: true,
        audit: { write: (record) => void records.push(record) },
        onAsk: () => ({ approved: false, reason: `for ${secret}`, by: secret }),
      },
    );
    const events = recorded(executor);
    await executor.execute(call("t", { given: secret }));
    await executor.execute(call("no"));
    expect(events.map(({ type }) => type)).toContain("tool.progressed");
    expect(events).toContainEqual(
      expect.objectContaining({ progress: { message: "at [redacted]" } }),
    );
    expect(JSON.stringify(events)).not.toContain(secret);
    expect(records).toHaveLength(2);
    expect(JSON.stringify(records)).not.toContain(secret);
    expect(JSON.stringify(records)).toContain("[redacted]");
  });

  test("by name: credentials in URLs are redacted in events, and not in updates for the host", async () => {
    const url = "https://h/p?page=2&api_key=abc123";
    const executor = runs(
      (_, ctx) => {
        ctx.progress({ message: `from ${url}` });
        void ctx.update({ content: [text(url)], value: { url } });
        return { content: [text(url)], value: { url } };
      },
      { eventPayloads: true },
    );
    const events = recorded(executor);
    const updates: ToolOutput[] = [];
    completed(
      await executor.execute(call("t"), { onUpdate: (output) => void updates.push(output) }),
    );
    const masked = "https://h/p?page=2&api_key=[redacted]";
    const output = { content: [text(masked)], value: { url: masked } };
    expect(events).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          type: "tool.progressed",
          progress: { message: `from ${masked}` },
        }),
        expect.objectContaining({ type: "tool.updated", output }),
        expect.objectContaining({ type: "tool.completed", ...output }),
      ]),
    );
    expect(updates).toEqual([{ content: [text(url)], value: { url } }]);
  });

  test("SE07: split over two progress messages or updates, only its beginning is emitted", async () => {
    const updates: string[] = [];
    const executor = runs(async (_, ctx) => {
      for (let at = 0; at < secret.length; at += 5) {
        const part = secret.slice(at, at + 5);
        ctx.progress({ message: at === 0 ? `token: ${part}` : part });
        await ctx.update({ content: [text(part)] });
      }
      ctx.progress({ message: "done" });
      return "ok";
    });
    const events = recorded(executor);
    await executor.execute(call("t"), {
      onUpdate: ({ content }) => {
        for (const block of content) if (block.type === "text") updates.push(block.text);
      },
    });
    const messages = events.flatMap((event) =>
      event.type === "tool.progressed" ? (event.progress.message ?? "") : [],
    );
    for (const emitted of [messages, updates]) {
      expect(emitted.join("")).not.toContain(secret);
      expect(emitted.join("")).not.toContain(secret.slice(0, 4));
      expect(emitted.join("")).not.toContain(secret.slice(-4));
    }
    expect(messages[0]).toBe("token: ");
    expect(messages.at(-1)).toBe("done");
  });
});

describe("SE11: an injected value that is a secret", () => {
  const echo = foreignTool("echo", {
    invoke: (_, { injected }) => `with ${(injected as { key: string }).key}`,
    spec: { injected: [{ name: "key", secret: true }], annotations: { readOnlyHint: true } },
  });
  const other = tool("other", (_, { injected }) => (injected as { key: string }).key);

  test("is redacted in the calls of its run", async () => {
    const executor = executorFor([toolsSource("s", [echo]), other]);
    const run = executor.startRun({ injected: { key: "injected-key-1" } });
    const first = completed(await run.execute(call("echo")));
    expect(first.result.content).toEqual([text("with [redacted]")]);
    const second = completed(await run.execute(call("other")));
    expect(second.result.content).toEqual([text("[redacted]")]);
  });

  test("is not a secret of another run", async () => {
    const executor = executorFor([toolsSource("s", [echo]), other]);
    await executor.startRun({ injected: { key: "injected-key-1" } }).execute(call("echo"));
    const run = executor.startRun({ injected: { key: "injected-key-1" } });
    const { result } = completed(await run.execute(call("other")));
    expect(result.content).toEqual([text("injected-key-1")]);
  });
});

describe("the scope of registered secrets", () => {
  test("a source's are redacted as long as it exists, also through combinators", async () => {
    const secrets = new SecretSet();
    const plain = toolsSource("s", [tool("t", () => secret)]);
    const source: ToolSource = { ...plain, secrets };
    const executor = executorFor(source);
    const serialized = async () => completed(await executor.execute(call("t"))).result.content;
    expect(await serialized()).toEqual([text(secret)]);
    const forget = secrets.add(secret);
    expect(await serialized()).toEqual([text("[redacted]")]);
    forget();
    expect(await serialized()).toEqual([text(secret)]);
  });

  test("the executor has its own set", async () => {
    const executor = executorFor(tool("t", () => secret));
    executor.secrets.add(secret);
    const { result } = completed(await executor.execute(call("t")));
    expect(result.content).toEqual([text("[redacted]")]);
  });

  test("redact: false redacts nothing", async () => {
    const key = "AKIAIOSFODNN7EXAMPLE";
    const off = executorFor(
      tool("t", () => key),
      { redact: false },
    );
    expect(completed(await off.execute(call("t"))).result.content).toEqual([text(key)]);
    const on = executorFor(tool("t", () => key));
    expect(completed(await on.execute(call("t"))).result.content).toEqual([text("[redacted]")]);
  });

  test.each<[string, unknown, RegExp]>([
    ["a text", { secrets: "s" }, /secrets is "s"; use a SecretSet or a list of texts/],
    ["a misspelled option", { secret: [] }, /unknown option "secret"/],
    ["no flag", { credentials: "yes" }, /credentials is "yes"; use true or false/],
    ["an invalid path", { paths: [{ path: "a.b" }] }, /redact has a rule that is none/],
  ])("%s is refused", (_, options, message) => {
    expect(() => executorFor([], { redact: options as never })).toThrow(message);
  });
});

test("a value that cannot be searched is withheld", async () => {
  const hostile = new Proxy(
    { type: "text", text: "x" },
    {
      ownKeys: () => {
        throw new Error(secret);
      },
    },
  );
  const outcome = await runs(() => ({ content: [hostile as never], details: 1 })).execute(
    call("t"),
  );
  expect(JSON.stringify(outcome)).not.toContain(secret);
});
