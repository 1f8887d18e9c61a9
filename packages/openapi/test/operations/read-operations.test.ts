import { isToolName } from "@toolweave/core/adapter";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openDocument } from "../../src/operations/document.ts";
import { nameOperations } from "../../src/operations/name-operations.ts";
import type { Nameable } from "../../src/operations/name-operations.ts";
import { document } from "../support/open-documents.ts";

async function places(version: string, item: object): Promise<string[]> {
  const opened = await openDocument(document(version, { "/x": item } as never));
  return opened.operations.map(({ method }) => method);
}

describe("operations", () => {
  test("are every method of every path, in order of declaration", async () => {
    const item = {
      trace: {},
      get: {},
      summary: "no",
      put: {},
      parameters: [],
      "x-get": {},
      head: {},
    };
    expect(await places("3.1.0", item)).toEqual(["TRACE", "GET", "PUT", "HEAD"]);
  });

  test("query and additional methods exist in OpenAPI 3.2 only", async () => {
    const item = {
      query: {},
      get: {},
      additionalOperations: { COPY: {}, GET: {}, "bad method": {}, link: {} },
    };
    expect(await places("3.1.0", item)).toEqual(["GET"]);
    expect(await places("3.2.0", item)).toEqual(["QUERY", "GET", "COPY", "link"]);
  });

  test("of OpenAPI 3.2 in an earlier document are problems that name what to do", async () => {
    const item = { get: {}, query: {}, additionalOperations: { COPY: {} } };
    const opened = await openDocument(document("3.1.0", { "/x": item }));
    expect(opened.problems).toEqual([
      {
        subject: "QUERY /x",
        message:
          "`query` of a path exists since OpenAPI 3.2, and the document declares 3.1, so it is no tool. Set `openapi: 3.2.0` to use it.",
        pointer: "/paths/~1x/query",
        severity: "warning",
      },
      expect.objectContaining({ pointer: "/paths/~1x/additionalOperations" }),
    ]);
    expect((await openDocument(document("3.2.0", { "/x": item }))).problems).toEqual([]);
  });

  test("an additional operation's pointer resolves to it", async () => {
    const opened = await openDocument(
      document("3.2.0", { "/x": { additionalOperations: { COPY: {} } } }),
    );
    expect(opened.operations[0]?.pointer).toBe("/paths/~1x/additionalOperations/COPY");
  });

  test("webhooks and callbacks are not operations", async () => {
    const opened = await openDocument(
      document(
        "3.1.0",
        { "/x": { get: { callbacks: { done: { "{$url}": { post: {} } } } } }, "x-y": { get: {} } },
        { webhooks: { event: { post: {} } } },
      ),
    );
    expect(opened.operations.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /x"]);
  });

  test("have the fields for a list; empty texts come from the path item", async () => {
    const opened = await openDocument(
      document("3.0.0", {
        "/x": {
          summary: "Of the path",
          description: "Of the path, long",
          get: {
            operationId: "getX",
            summary: " ",
            description: "Own",
            tags: ["a", 7],
            deprecated: true,
          },
        },
      }),
    );
    expect(opened.operations[0]).toMatchObject({
      name: "get_x",
      operationId: "getX",
      summary: "Of the path",
      description: "Own",
      tags: ["a", "7"],
      deprecated: true,
      pointer: "/paths/~1x/get",
    });
    expect(opened.title).toBe("Test");
  });

  test("that are not objects are problems and affect nothing else", async () => {
    const opened = await openDocument(
      document("3.0.0", { "/a": { get: "no", put: {} }, "/b": 7, "/c": { get: null, delete: [] } }),
    );
    expect(opened.operations.map(({ method, path }) => `${method} ${path}`)).toEqual(["PUT /a"]);
    expect(opened.problems).toEqual([
      { subject: "GET /a", message: "The operation is not an object.", pointer: "/paths/~1a/get" },
      { subject: "/b", message: "The path item is not an object.", pointer: "/paths/~1b" },
      { subject: "GET /c", message: "The operation is not an object.", pointer: "/paths/~1c/get" },
      {
        subject: "DELETE /c",
        message: "The operation is not an object.",
        pointer: "/paths/~1c/delete",
      },
    ]);
  });
});

function named(
  ...operations: (readonly [string | undefined, string?, string?])[]
): readonly string[] {
  return nameOperations(
    operations.map(([operationId, method = "GET", path = "/x"]) => ({ operationId, method, path })),
  ).names;
}

describe("names", () => {
  test.each([
    ["listEvents", "list_events"],
    ["actions/list-jobs", "actions_list_jobs"],
    ["Users.GetByID", "users_get_by_id"],
    ["2fa-enable", "_2fa_enable"],
    ["__proto__", "proto"],
    ["trailing_", "trailing"],
  ])("%s becomes %s", (operationId, name) => {
    expect(named([operationId])).toEqual([name]);
  });

  test.each([
    [undefined, "GET", "/users/{id}", "get_users_id"],
    ["", "POST", "/users/", "post_users"],
    ["获取", "GET", "/a.b", "get_a_b"],
  ])(
    "without letters in its operationId %j, %s %s becomes %s",
    (operationId, method, path, name) => {
      expect(named([operationId, method, path])).toEqual([name]);
    },
  );

  test.each([
    ["read_user_api_v1_users__user_id__get", "GET", "/api/v1/users/{user_id}", "read_user"],
    ["Get_voices_v1_voices_get", "GET", "/v1/voices", "get_voices"],
    ["health_health_get", "GET", "/health", "health"],
    ["messages_create_post_v1_messages", "POST", "/v1/messages", "messages_create"],
    ["count_post_v1_messages", "POST", "/v1/messages?beta=true", "count_post_v1_messages"],
    ["create_items_post", "POST", "/items", "create_items_post"],
    ["getUsers", "GET", "/users", "get_users"],
  ])("a generator's %s of %s %s becomes %s", (operationId, method, path, name) => {
    expect(named([operationId, method, path])).toEqual([name]);
  });

  test("a generator's suffix stays if it distinguishes operations", () => {
    const names = named(
      ["read_item_v1_items_get", "GET", "/v1/items"],
      ["read_item_v2_items_get", "GET", "/v2/items"],
      ["read_box_v2_boxes_get", "GET", "/v2/boxes"],
    );
    expect(names).toEqual(["read_item_v1_items_get", "read_item_v2_items_get", "read_box"]);
  });

  test("that are too long keep their beginning, the verb and the end", () => {
    const [name = ""] = named([
      "users.user.calendarGroups.calendarGroup.calendars.calendar.calendarView.event.instances.DeltaInstances",
    ]);
    expect(name).toMatch(/^users_.*_delta_instances_[0-9a-z]{7}$/);
    const [first = ""] = named([
      `replace_${"admission_registration_".repeat(4)}webhook_configuration_status`,
    ]);
    expect(first).toMatch(/^replace_.*_webhook_configuration_status_[0-9a-z]{7}$/);
  });

  test("that are too long lose words that repeat the preceding ones in the singular", () => {
    const [name = ""] = named([
      "admin.calendarGroups.calendarGroup.accessPackages.policy.ListAssignments",
    ]);
    expect(name).toBe("admin_calendar_groups_access_packages_policy_list_assignments");
  });

  test("that would be shortened to the same words keep the distinguishing ones", () => {
    const names = named(
      ...["accessPackages", "catalogs", "connectedOrganizations"].map(
        (middle) =>
          [
            `identityGovernance.entitlementManagement.${middle}.resourceRoleScopes.scope.GetResourceEnvironment`,
          ] as const,
      ),
    );
    const readable = names.map((name) => name.replace(/_[0-9a-z]{7}$/, ""));
    expect(new Set(readable).size).toBe(3);
    expect(readable.every((name) => name.includes("_get_"))).toBe(true);
  });

  test("of shared operationIds keep the operationId and the end of the path", () => {
    const path = "/v1/messages/batches/{message_batch_id}/cancel";
    const [first, second] = named(
      ["beta_message_batches_cancel", "POST", path],
      ["beta_message_batches_cancel", "POST", `${path}?beta=true`],
    );
    expect(first).toMatch(/^beta_message_batches_cancel_.*cancel_[0-9a-z]{7}$/);
    expect(second).toMatch(/^beta_message_batches_cancel_.*beta_true_[0-9a-z]{7}$/);
  });

  test("an operationId that several share is extended by method and path, and is reported", async () => {
    const opened = await openDocument(
      document("3.0.0", {
        "/a": { get: { operationId: "same" }, post: { operationId: "same" } },
        "/b": { get: { operationId: "other" } },
      }),
    );
    expect(opened.operations.map(({ name }) => name)).toEqual([
      "same_get_a",
      "same_post_a",
      "other",
    ]);
    expect(opened.problems).toEqual([
      expect.objectContaining({ subject: "same", severity: "warning" }),
    ]);
  });

  test("different operationIds with the same cleaned name are distinguished by their originals", () => {
    const names = named(["getUser"], ["get_user"], ["get-user"]);
    expect(names[1]).toBe("get_user");
    expect(new Set(names).size).toBe(3);
    expect(named(["get-user"], ["get_user"], ["getUser"]).toReversed()).toEqual([...names]);
  });

  test("are canonical, unique, and the same in any order", () => {
    const ids = fc.option(
      fc.oneof(
        fc.string({ maxLength: 90 }),
        fc.constantFrom("getUser", "get_user", "get-user", "a/b", "A.b"),
      ),
      { nil: undefined },
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(
          fc.record({
            operationId: ids,
            method: fc.constantFrom("GET", "POST"),
            path: fc.webPath(),
          }),
          { selector: ({ method, path }) => `${method} ${path}`, maxLength: 30 },
        ),
        (operations: Nameable[]) => {
          const { names } = nameOperations(operations);
          expect(names.filter((name) => !isToolName(name))).toEqual([]);
          expect(new Set(names).size).toBe(names.length);
          expect(nameOperations(operations.toReversed()).names.toReversed()).toEqual([...names]);
        },
      ),
    );
  });

  test("stay when the document gains operations, unless one of those has the same name", () => {
    // Several of them become the same name, also among the operations that are added.
    const similar = ["getUser", "get_user", "listPets", "list-pets", "a/b", "a.b", "readFile"];
    const operation = fc.record({
      operationId: fc.option(
        fc.oneof(fc.string({ maxLength: 70 }), fc.constantFrom("__proto__", "../x", "shell"), {
          weight: 4,
          arbitrary: fc.constantFrom(...similar),
        }),
        { nil: undefined },
      ),
      method: fc.constantFrom("GET", "POST"),
      path: fc.stringMatching(/^(?:\/[a-z{}.]{0,6}){1,3}$/),
      isNew: fc.boolean(),
    });
    const operations = fc.uniqueArray(operation, {
      selector: ({ method, path }) => `${method} ${path}`,
      minLength: 6,
      maxLength: 20,
    });
    fc.assert(
      fc.property(operations, (all: readonly (Nameable & { readonly isNew: boolean })[]) => {
        const older = all.filter(({ isNew }) => !isNew);
        const added = all.filter(({ isNew }) => isNew);
        const before = nameOperations(older).names;
        const after = nameOperations(all).names;
        const alone = (one: Nameable) => nameOperations([one]).names[0];
        const wanted = new Set(added.map(alone));
        const ids = new Set(added.map(({ operationId }) => operationId));
        for (const [index, one] of older.entries()) {
          if (wanted.has(alone(one)) || ids.has(one.operationId ?? "")) continue;
          expect(after[all.indexOf(one)]).toBe(before[index]);
        }
      }),
    );
  });

  test("stay when the document gains operations with other names", () => {
    const before = named(["listPets"], [undefined, "GET", "/a"]);
    const after = named(
      ["addPet"],
      ["listPets"],
      [undefined, "GET", "/a"],
      [undefined, "GET", "/b"],
    );
    expect(after.slice(1, 3)).toEqual([...before]);
  });
});
