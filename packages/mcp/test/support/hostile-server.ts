import { closeSync } from "node:fs";
import { createInterface } from "node:readline";

/**
 * A server over stdio that attacks its host in the way that its tools are named, and answers then;
 * it implements the older protocol itself.
 */
interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly name?: string };
  readonly result?: unknown;
  readonly error?: unknown;
}

const write = (text: string): void => void process.stdout.write(`${text}\n`);
const send = (message: object): void => write(JSON.stringify({ jsonrpc: "2.0", ...message }));
const deep = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const notification = (method: string, params: string): void =>
  write(`{"jsonrpc":"2.0","method":"${method}","params":${params}}`);
const lines = createInterface({ input: process.stdin });
const liveOn = (): void => void setInterval(() => {}, 1_000);
/** The host's answers to its requests. */
let answered = 0;
let received = (): void => {};

const attacks: Readonly<Record<string, (id: Message["id"]) => void | Promise<void>>> = {
  odd_token: () =>
    notification("notifications/progress", '{"progressToken":{"toString":1,"valueOf":1}}'),
  odd_cancel: () => notification("notifications/cancelled", '{"requestId":{"toString":1}}'),
  deep_noise: () => write(`{"x":${deep(1_000_000)}}`),
  deep_id: () => write(`{"jsonrpc":"2.0","id":${deep(1_000_000)},"result":{}}`),
  deep_request: () =>
    write(`{"jsonrpc":"2.0","id":5,"method":"odd","params":"a","z":${deep(1_000_000)}}`),
  deep_params: () =>
    write(`{"jsonrpc":"2.0","id":6,"method":"odd","params":{"a":${deep(1_000_000)}}}`),
  deep_log: () =>
    notification("notifications/message", `{"level":"info","data":${deep(1_000_000)}}`),
  prototypes: () => {
    notification("notifications/message", '{"level":"info","data":1,"__proto__":{"polluted":1}}');
    write('{"jsonrpc":"2.0","id":7,"method":"odd","__proto__":{"polluted":1}}');
  },
  bytes: () =>
    void process.stdout.write(Buffer.from([0, 0xff, 0xfe, 0xed, 0xa0, 0x80, 10, 0xef, 0xbb, 10])),
  /** A batch with as many elements as fit. */
  batch: () => write(`[${"1,".repeat(900_000)}1]`),
  /** An answer with more values than the maximum. */
  values: (id) =>
    write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[${"{},".repeat(3_000_000)}{}]}}`),
  questions: () =>
    new Promise<void>((resolve) => {
      answered = 0;
      received = () =>
        answered < 200
          ? send({ id: `q${answered}`, method: "sampling/createMessage", params })
          : resolve();
      const params = { messages: [], maxTokens: 1 };
      send({ id: "q", method: "sampling/createMessage", params });
    }),
  /** Both at once, and many times. */
  flood: () => {
    for (let count = 0; count < 20_000; count++) send({ id: `f${count}`, method: "roots/list" });
    for (let count = 0; count < 20_000; count++) send({ id: "same", method: "roots/list" });
  },
  close_output: () => {
    liveOn();
    closeSync(1);
  },
  close_input: () => {
    liveOn();
    lines.close();
    process.stdin.destroy();
    closeSync(0);
  },
  echo: () => {},
};

process.stdin.on("error", () => {});
lines.on("line", (text) => {
  const { id, method, params } = JSON.parse(text) as Message;
  if (method === undefined) {
    answered += 1;
    received();
  } else if (method === "initialize") {
    const serverInfo = { name: "hostile", version: "1" };
    send({
      id,
      result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo },
    });
  } else if (method === "tools/list") {
    const tools = Object.keys(attacks).map((name) => ({ name, inputSchema: { type: "object" } }));
    send({ id, result: { tools } });
  } else if (method === "tools/call") {
    void Promise.resolve(attacks[params?.name ?? ""]?.(id)).then(() => {
      if (params?.name !== "close_output" && params?.name !== "values") {
        send({ id, result: { content: [{ type: "text", text: "done" }] } });
      }
    });
  } else if (id !== undefined) {
    send({ id, error: { code: -32_601, message: "Method not found" } });
  }
});
