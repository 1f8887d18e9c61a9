import { defineTool } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { openProject, toolFile } from "../support/project.ts";

const echo = defineTool({
  name: "echo",
  description: "Give the text back.",
  input: {
    type: "object",
    properties: { text: { type: "string", maxLength: 10 } },
    required: ["text"],
    additionalProperties: false,
  },
  execute: ({ text }) => ({ text }),
});

const hook = (script: string, head = "event: tool.pre"): string => toolFile(script, head);

async function callWith(files: Readonly<Record<string, string>>, text = "hi") {
  const named = Object.entries(files).map(([name, file]) => [`.toolweave/hooks/${name}.md`, file]);
  const lines: string[] = [];
  const { executor, source } = await openProject(
    Object.fromEntries(named) as Record<string, string>,
    {
      others: [echo],
      source: { log: ({ level, message }) => lines.push(`${level} ${message}`) },
    },
  );
  const outcome = await executor.execute({ id: "1", name: "echo", arguments: { text } });
  return { outcome, lines, findings: source.findings };
}

describe("hooks of markdown files", () => {
  test("block, and the model reads the reason", async () => {
    const { outcome } = await callWith({
      guard: hook(
        "def handle(event, payload):\n    if payload['args']['text'] == 'hi':\n        return block('say it louder')\n    return allow()",
      ),
    });
    expect(outcome.error).toMatchObject({ code: "permission_denied" });
    expect(outcome.error?.message).toContain("say it louder");
  });

  test("run in order of priority, then of their files; each sees what the one before has modified", async () => {
    const append = (letter: string): string =>
      `def handle(event, payload):\n    return modify({"args": {"text": payload["args"]["text"] + "${letter}"}})`;
    const { outcome } = await callWith(
      {
        a: hook(append("a"), "event: tool.pre\npriority: 5"),
        b: hook(append("b"), "event: tool.pre"),
        c: hook(append("c"), "event: tool.pre\npriority: -1"),
        d: hook(append("d"), "event: tool.pre"),
      },
      "",
    );
    expect(outcome.result?.value).toEqual({ text: "cbda" });
  });

  test("the first that blocks wins, and later ones are not called", async () => {
    const { outcome, lines } = await callWith({
      a: hook("def handle(event, payload):\n    return block('first')"),
      b: hook("def handle(event, payload):\n    log('called')\n    return block('second')"),
    });
    expect(outcome.error?.message).toContain("first");
    expect(lines).toEqual([]);
  });

  test("modified arguments are validated again", async () => {
    const { outcome } = await callWith({
      a: hook('def handle(event, payload):\n    return modify({"args": {"text": "x" * 11}})'),
    });
    expect(outcome.error?.code).toBe("internal");
    expect(outcome.error?.message).toContain("changed its arguments to ones that are not valid");
  });

  test("`when` selects the calls", async () => {
    const script = "def handle(event, payload):\n    return block('no')";
    const { outcome } = await callWith({
      a: hook(script, `event: tool.pre\nwhen: 'payload["name"] == "other"'`),
    });
    expect(outcome.ok).toBe(true);
    const { outcome: second } = await callWith({
      a: hook(script, `event: tool.pre\nwhen: 'payload["name"] == "echo"'`),
    });
    expect(second.ok).toBe(false);
  });

  test("of tool.post withhold or change a result in both of its forms", async () => {
    const { outcome } = await callWith({
      a: hook(
        'def handle(event, payload):\n    return modify({"result": {"text": payload["result"]["text"].upper()}})',
        "event: tool.post",
      ),
    });
    expect(outcome.result?.value).toEqual({ text: "HI" });
    expect(outcome.result?.content).toEqual([{ type: "text", text: '{"text":"HI"}' }]);
    const { outcome: blocked } = await callWith({
      a: hook("def handle(event, payload):\n    return block('secret')", "event: tool.post"),
    });
    expect(blocked.result).toMatchObject({
      isError: true,
      content: [{ text: "The result was withheld: secret" }],
    });
    expect(blocked.result?.value).toBeUndefined();
  });

  const faults: Readonly<Record<string, string>> = {
    "an error": hook("def handle(event, payload):\n    return payload['nothing']"),
    "fail()": hook("def handle(event, payload):\n    fail('no')"),
    "no answer": hook("def handle(event, payload):\n    pass"),
    "an unknown action": hook('def handle(event, payload):\n    return {"action": "maybe"}'),
    "a payload without arguments": hook('def handle(event, payload):\n    return modify({"x": 1})'),
    "a loop without end": hook(
      "def handle(event, payload):\n    for i in range(1 << 60):\n        pass",
      "event: tool.pre\ntimeout_ms: 50",
    ),
    "no function handle": hook("def other(event, payload):\n    return allow()"),
    "a condition that fails": hook(
      "def handle(event, payload):\n    return allow()",
      "event: tool.pre\nwhen: 'payload[\"nothing\"]'",
    ),
    "a condition that is no bool": hook(
      "def handle(event, payload):\n    return allow()",
      "event: tool.pre\nwhen: '1'",
    ),
    "a script that cannot be compiled": hook("def handle(event, payload:\n    return allow()"),
  };
  test.each(Object.entries(faults))("fail closed: %s blocks the call", async (_, file) => {
    const { outcome, lines } = await callWith({ a: file });
    expect(outcome.error?.code).toBe("permission_denied");
    expect(outcome.error?.message).toContain('the hook "a" failed');
    expect(lines).toHaveLength(1);
  });

  test("of an event that no host emits are reported, and called if the host emits it", async () => {
    const { findings } = await callWith({
      a: hook("def handle(event, payload):\n    return allow()", "event: session.start"),
    });
    expect(findings).toMatchObject([{ code: "event_not_fired", severity: "warning" }]);
    const { source } = await openProject(
      {
        ".toolweave/hooks/a.md": hook(
          "def handle(event, payload):\n    return block(payload['who'])",
          "event: session.start",
        ),
      },
      { source: { events: ["session.*"] } },
    );
    expect(source.findings).toEqual([]);
    expect(await source.emit("session.start", { who: "ada" })).toEqual({
      action: "block",
      reason: "ada",
    });
  });
});
