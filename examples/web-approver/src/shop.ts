import { appendFile } from "node:fs/promises";
import { join } from "node:path";

import { defineTool, type Tool } from "@toolweave/core";

const orders = [
  { order: "1042", customer: "mira@example.com", item: "Teapot", paid: 49 },
  { order: "1043", customer: "jon@example.com", item: "Kettle", paid: 35 },
];
const order = { type: "string", maxLength: 20 } as const;

/** The tools of a small shop. Their effect is a line in a file of `folder`. */
export function shopTools(folder: string): Tool[] {
  const record = (file: string, entry: object): Promise<void> =>
    appendFile(join(folder, file), `${JSON.stringify(entry)}\n`);

  const get: Tool = defineTool({
    name: "get_order",
    description: "Look up an order.",
    input: {
      type: "object",
      properties: { order },
      required: ["order"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true },
    execute: ({ order }) => orders.find((one) => one.order === order) ?? "There is none.",
  });

  const refund: Tool = defineTool({
    name: "refund_order",
    description: "Pay money back for an order.",
    input: {
      type: "object",
      properties: {
        order,
        amount: { type: "number", exclusiveMinimum: 0, maximum: 500 },
      },
      required: ["order", "amount"],
      additionalProperties: false,
    },
    annotations: { destructiveHint: true, access: { spend: true } },
    preflight: ({ order, amount }) => [
      {
        kind: "spend",
        target: `order ${order}`,
        summary: `Pay ${amount} back for order ${order}`,
        details: { amount },
      },
    ],
    execute: async ({ order, amount }) => {
      await record("refunds.jsonl", { order, amount });
      return `Paid ${amount} back for order ${order}.`;
    },
  });

  const message: Tool = defineTool({
    name: "send_message",
    description: "Write to a customer.",
    input: {
      type: "object",
      properties: {
        to: { type: "string", maxLength: 100 },
        text: { type: "string", maxLength: 2000 },
      },
      required: ["to", "text"],
      additionalProperties: false,
    },
    annotations: { destructiveHint: true },
    preflight: ({ to }) => [{ kind: "custom.message", target: to, summary: `Write to ${to}` }],
    execute: async ({ to, text }) => {
      await record("messages.jsonl", { to, text });
      return `Sent to ${to}.`;
    },
  });

  return [get, refund, message];
}
