import type {
  Approval,
  ListedGrant,
  ProblemRow,
  Status,
  ToolDetails,
  ToolRow,
} from "@toolweave/console";

/** The present of the data: 2026-11-26, 10:00 UTC. */
export const now: number = Date.now();

const sources = ["github", "billing-api", "filesystem", "crm", "calendar", "warehouse", "search"];
const verbs = ["list", "get", "create", "update", "delete", "search", "export", "archive"];
const nouns = [
  "issue",
  "invoice",
  "customer",
  "file",
  "branch",
  "event",
  "order",
  "report",
  "contact",
  "label",
];
const lines: Readonly<Record<string, string>> = {
  list: "Lists the {}s that the caller can see, newest first.",
  get: "Reads one {} by its id, with everything that belongs to it.",
  create: "Creates a {} and returns it.",
  update: "Changes members of a {}; members that are absent stay as they are.",
  delete: "Deletes a {} for good.",
  search: "Finds {}s by words, with a score for each.",
  export: "Writes {}s to a file of the workspace as JSON lines.",
  archive: "Moves a {} to the archive, from where it can be restored.",
};

/** Rows of a number of tools, in the order of their names. */
export function makeTools(count: number): readonly ToolRow[] {
  return Array.from({ length: count }, (_, index): ToolRow => {
    const source = sources[index % sources.length] as string;
    const verb = verbs[Math.floor(index / 7) % verbs.length] as string;
    const noun = nouns[Math.floor(index / 56) % nouns.length] as string;
    const name = `${source.replaceAll("-", "_")}_${verb}_${noun}_${index}`;
    const isRead = verb === "list" || verb === "get" || verb === "search";
    return {
      name,
      line: (lines[verb] ?? "").replace("{}", noun),
      source,
      effect: isRead ? "allow" : verb === "delete" ? (index % 3 === 0 ? "deny" : "ask") : "ask",
      access: isRead ? "read" : verb === "delete" ? "destructive" : "write",
      ...(index % 97 === 0 ? { unavailable: "The server has exited." } : {}),
    };
  }).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The complete definition of a tool. */
export function makeDetails(row: ToolRow): ToolDetails {
  const inputSchema = {
    type: "object",
    properties: {
      id: { type: "integer", description: "Number of the item.", minimum: 1 },
      title: { type: "string", description: "A title for people.", maxLength: 200 },
      labels: { type: "array", items: { type: "string" }, uniqueItems: true },
      due: { type: "string", format: "date" },
      options: {
        type: "object",
        properties: { notify: { type: "boolean", default: true }, priority: { enum: [1, 2, 3] } },
      },
    },
    required: ["id"],
    additionalProperties: false,
  };
  return {
    spec: {
      name: row.name,
      description: `${row.line}\n\nThe result has at most 100 items. Ask for the next page with the cursor.`,
      inputSchema,
      outputSchema: { type: "object", properties: { items: { type: "array", items: {} } } },
      annotations: {
        readOnlyHint: row.access === "read",
        destructiveHint: row.access === "destructive",
        idempotentHint: row.access === "read",
      },
      injected: [{ name: "token", secret: true }],
      timeoutMs: 30_000,
      provenance: { adapter: "openapi", source: row.source, origin: { operationId: row.name } },
    } as unknown as ToolDetails["spec"],
    argumentsSchema: inputSchema as ToolDetails["argumentsSchema"],
    specHash: "9f2c4e1ab7d85f6033c1f0a8e2d94b7765aa01c3de8890f41b2c3d4e5f607182",
    source: row.source,
    effect: row.effect,
    lock: {
      state: "changed",
      changes: [
        {
          path: "description",
          before: "Deletes an invoice.",
          after: "Deletes an invoice for good.",
          text: "The description has changed.",
        },
        {
          path: "inputSchema/properties/force",
          after: '{"type":"boolean"}',
          text: "The parameter force is new.",
        },
        {
          path: "outputSchema",
          after: '{"type":"object"}',
          beforeUnknown: true,
          text: "The output schema has changed.",
        },
      ],
    },
    tokens: 214,
  };
}

/** The state of the console. */
export function makeStatus(tools: readonly ToolRow[], waiting: number, problems: number): Status {
  return {
    version: "0.1.0",
    sources: sources.map((id, index) => ({
      id,
      adapter: index % 2 === 0 ? "mcp" : "openapi",
      tools: tools.filter(({ source }) => source === id).length,
      problems: index === 1 ? 2 : index === 5 ? 1 : 0,
      state: index === 5 ? "failed" : index === 6 ? "loading" : "ready",
      ...(index === 5 ? { message: "The program exited with the code 1: module not found." } : {}),
      trusted: index !== 3,
    })),
    tools: { total: tools.length, version: 1 },
    problems,
    stores: {
      pendingCalls: true,
      tasks: true,
      artifacts: true,
      memory: true,
      grants: true,
      audit: true,
      recordings: ["nightly"],
      lock: true,
    },
    policy: {
      layers: ["policy", "team"],
      warnings: [
        { message: "The rule rules[2] has no effect: rules[0] matches everything it does." },
      ],
    },
    waiting,
    limits: { timeoutMs: 30_000, maxOutputBytes: 65_536 },
  };
}

/** Problems of sources and tools. */
export const problems: readonly ProblemRow[] = [
  {
    kind: "source",
    source: "warehouse",
    message:
      "The program exited with the code 1 before it answered: run `node warehouse.js` by hand and read its output.",
    place: "toolweave.json: servers.warehouse",
    severity: "error",
  },
  {
    kind: "tool",
    source: "billing-api",
    tool: "billing_api_delete_invoice_29",
    message:
      "The schema of the parameter filter refers to #/components/schemas/Filter, which is not there.",
    place: "openapi.yaml: paths./invoices.get.parameters[2]",
    severity: "error",
  },
  {
    kind: "configuration",
    source: "policy",
    message: "The rule rules[2] has no effect.",
    place: "toolweave.json: policy.rules[2]",
    severity: "warning",
  },
];

/** Calls that wait: an approval, a sign-in and a question. */
export function makeApprovals(tools: readonly ToolRow[]): readonly Approval[] {
  const asked = tools.filter(({ effect }) => effect === "ask");
  const base = (index: number) => ({
    id: `apr_${index}`,
    status: "pending" as const,
    verified: true,
    expiresAt: now + (index + 1) * 3_600_000,
    runId: `run_${index}`,
    specHash: "9f2c4e1ab7d85f6033c1f0a8e2d94b7765aa01c3de8890f41b2c3d4e5f607182",
    requester: { id: "maria", agent: "billing-agent" },
    digest: `digest-${index}`,
  });
  const name = (index: number): string => asked[index * 11]?.name ?? "delete_invoice";
  return [
    {
      ...base(0),
      call: {
        id: "call_1",
        name: name(0),
        arguments: {
          id: 4711,
          reason: "Duplicate of invoice 4710",
          notify: { customer: true, by: ["email", "letter"] },
          token: "[secret]",
        },
      },
      requests: [
        {
          id: "req_1",
          type: "approval",
          permission: {
            kind: "network",
            target: "DELETE https://billing.example.com/v1/invoices/4711?force=true",
            summary: "Delete the invoice 4711 at billing.example.com",
          },
          description: "Deletes an invoice for good.",
          reason: "The preset supervised asks about every call that may destroy something.",
          remedy: 'Add the rule { "tools": ["delete_invoice"], "effect": "allow" } to the policy.',
          grant: {
            tool: name(0),
            specHash: "9f2c4e1ab7d85f6033c1f0a8e2d94b7765aa01c3",
            permission: {
              kind: "network",
              target: "DELETE https://billing.example.com/v1/invoices/4711",
            },
            argumentsHash: "b1946ac92492d2347c6235b4d2611184",
            caller: { id: "maria", agent: "billing-agent" },
          },
        },
      ],
    },
    {
      ...base(1),
      call: { id: "call_2", name: name(1), arguments: { query: "open" } },
      requests: [
        {
          id: "req_1",
          type: "auth",
          credential: "crm",
          message: "Sign in to the CRM, then confirm here.",
          url: "https://crm.example.com/device",
          userCode: "WDJB-MJHT",
        },
      ],
    },
    {
      ...base(2),
      call: { id: "call_3", name: name(2), arguments: {} },
      requests: [
        {
          id: "req_1",
          type: "input",
          message: "Which of the two warehouses should receive the order?",
          schema: { type: "string", enum: ["north", "south"] },
        },
      ],
    },
  ];
}

/** Remembered approvals. */
export function makeGrants(tools: readonly ToolRow[]): readonly ListedGrant[] {
  return tools.slice(3, 6).map(({ name }, index) => ({
    id: `grant_${index}`,
    scope: index === 0 ? "session" : "always",
    tool: name,
    specHash: "9f2c4e1ab7d85f6033c1f0a8e2d94b77",
    permission: { kind: "network", target: `POST https://api.example.com/items/${index}` },
    ...(index === 2 ? {} : { argumentsHash: "b1946ac92492d2347c6235b4d2611184" }),
    caller: { id: "maria" },
    by: "jo",
    grantedAt: now - (index + 1) * 7_200_000,
  }));
}
