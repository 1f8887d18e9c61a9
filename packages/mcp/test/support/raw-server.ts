import { createInterface } from "node:readline";

/**
 * A server that violates the wire format in the way that its tools are named, one at a time; it
 * implements the older protocol itself. `echo` answers with its argument.
 */
interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: { readonly text?: string; readonly count?: number };
    readonly requestId?: number;
    readonly protocolVersion?: string;
    readonly _meta?: { readonly progressToken?: number };
  };
}

const mebi = 1024 * 1024;
const said = (text: string): object => ({ content: [{ type: "text", text }] });
const raw = (text: string | Buffer): Promise<void> =>
  new Promise((resolve) => void process.stdout.write(text, () => resolve()));
/** A line that is still being written: others follow it. */
let line: Promise<void> = Promise.resolve();
const send = async (message: object): Promise<void> => {
  await line;
  await raw(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
};

let cancelled: number | undefined;
let held: Message | undefined;
const lines = createInterface({ input: process.stdin });

const ways: Readonly<Record<string, (message: Message) => Promise<unknown>>> = {
  echo: ({ id, params }) => send({ id, result: said(params?.arguments?.text ?? "") }),
  huge: ({ id, params }) => {
    const write = async (): Promise<void> => {
      // As many servers write it: the id is last.
      await raw('{"result":{"content":[{"type":"text","text":"');
      const part = Buffer.alloc(mebi, "a");
      for (let count = 0; count < (params?.arguments?.count ?? 0); count++) await raw(part);
      await raw(`"}]},"jsonrpc":"2.0","id":${JSON.stringify(id)}}\n`);
    };
    return (line = write());
  },
  endless: async () => {
    const part = Buffer.alloc(mebi, "a");
    for (;;) await raw(part);
  },
  garbage: async ({ id, params }) => {
    const noise = ["npm WARN deprecated", '{"half":', "\0\0\0", "[]", "42", '"text"', "null", "{}"];
    for (let count = 0; count < (params?.arguments?.count ?? 1); count++) {
      await raw(`${noise.join("\n")}\n`);
    }
    await send({ id, result: said("after the garbage") });
  },
  pieces: async ({ id }) => {
    const whole = `\r\n\n${JSON.stringify({ jsonrpc: "2.0", id, result: said("Jürgen 🙂") })}\r\n`;
    for (const byte of Buffer.from(whole)) await raw(Buffer.of(byte));
  },
  stderr: async ({ id, params }) => {
    const part = Buffer.alloc(mebi, "e");
    for (let count = 0; count < (params?.arguments?.count ?? 0); count++) {
      await new Promise((resolve) => process.stderr.write(part, resolve));
    }
    await new Promise((resolve) => process.stderr.write("\nthe last words", resolve));
    await send({ id, result: said("drained") });
  },
  stop_reading: async ({ id }) => {
    lines.pause();
    process.stdin.pause();
    await send({ id, result: said("I no longer listen") });
  },
  replies: async ({ id }) => {
    await send({ id: 99_999, result: said("unrequested") });
    await send({ id: "text", result: said("unrequested") });
    await send({ id, result: said("the first") });
    await send({ id, result: said("the second") });
    await send({ id, error: { code: 1, message: "the third" } });
  },
  bare: ({ id }) => send({ id }),
  digits: ({ id }) => send({ id: String(id), result: said("with digits") }),
  storm: async ({ id, params }) => {
    const one = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n';
    for (let count = 0; count < (params?.arguments?.count ?? 0); count += 1_000) {
      await raw(one.repeat(1_000));
    }
    await send({ id, result: said("the storm is over") });
  },
  progress: async ({ id, params }) => {
    const { _meta: meta } = params ?? {};
    const progressToken = meta?.progressToken;
    const method = "notifications/progress";
    const step = (progress: number): string =>
      `${JSON.stringify({ jsonrpc: "2.0", method, params: { progressToken, progress } })}\n`;
    const result = `${JSON.stringify({ jsonrpc: "2.0", id, result: said("done") })}\n`;
    await raw(step(1) + step(2) + result + step(3));
  },
  /** A result whose text is "J\xfcrgen", in Latin-1. */
  latin: async ({ id }) => {
    const result = JSON.stringify({ jsonrpc: "2.0", id, result: said("J|rgen") });
    const [begin = "", end = ""] = result.split("|");
    await raw(Buffer.concat([Buffer.from(begin), Buffer.of(0xfc), Buffer.from(`${end}\n`)]));
  },
  /** Answers when it is cancelled, and not before. */
  stubborn: async (message) => void (held = message),
  cancelled: ({ id }) => send({ id, result: said(String(cancelled)) }),
};

lines.on("line", (text) => {
  const message = JSON.parse(text) as Message;
  const { id, method, params } = message;
  if (method === "initialize") {
    const capabilities = { tools: { listChanged: true } };
    const serverInfo = { name: "raw", version: "1" };
    const { protocolVersion = "2025-11-25" } = params ?? {};
    void send({ id, result: { protocolVersion, capabilities, serverInfo } });
  } else if (method === "notifications/cancelled") {
    cancelled = params?.requestId;
    if (held !== undefined) void send({ id: held.id, result: said("too late") });
  } else if (method === "tools/list") {
    const tools = Object.keys(ways).map((name) => ({ name, inputSchema: { type: "object" } }));
    void send({ id, result: { tools } });
  } else if (method === "tools/call") {
    void ways[params?.name ?? ""]?.(message);
  } else if (id !== undefined) {
    void send({ id, error: { code: -32_601, message: "Method not found" } });
  }
});
