import { defineTool, type Tool } from "@toolweave/core";

/** The invoices of an office, and the tools of its agent. */
export function invoiceTools(paid: string[]): Tool[] {
  const open = new Map([
    ["A-7", 120],
    ["B-2", 80],
  ]);

  const listInvoices = defineTool({
    name: "list_invoices",
    description: "List the open invoices with their amounts in euros.",
    input: { type: "object", properties: {} },
    annotations: { readOnlyHint: true },
    execute: () => ({ invoices: [...open].map(([invoice, euros]) => ({ invoice, euros })) }),
  });

  const payInvoice = defineTool({
    name: "pay_invoice",
    description: "Pay an open invoice.",
    input: {
      type: "object",
      properties: { invoice: { type: "string" } },
      required: ["invoice"],
    },
    // A person approves each payment.
    needsApproval: true,
    execute: ({ invoice }) => {
      open.delete(invoice);
      paid.push(invoice);
      return { paid: invoice };
    },
  });

  return [listInvoices, payInvoice];
}
