import { defineTool, suspend } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import type { GrantList, ProblemDocument } from "../../src/index.ts";
import { TestProcess, type TestStores } from "./open-console.ts";

/** A store of its own for each test, and two connections to it. */
export type OpenStores = () => Promise<readonly [TestStores, TestStores]>;

/** The behaviour of the API, with any store. */
export function describeApprovals(name: string, open: OpenStores): void {
  describe(`the API of approvals with ${name}`, () => {
    test("lists a call that waits, with its arguments, permission, reason, requester and expiry, and without its state", async () => {
      const [stores] = await open();
      const process = new TestProcess(stores);
      const id = await process.makeCall();
      const { approvals } = await process.list();
      expect(approvals).toHaveLength(1);
      expect(approvals[0]).toMatchObject({
        id,
        status: "pending",
        verified: true,
        call: { id: "call_1", name: "pay", arguments: { to: "mira", euros: 49 } },
        requester: { id: "shop-agent" },
        requests: [{ type: "approval", permission: { target: "pay" } }],
      });
      expect(approvals[0]?.requests?.[0]).toHaveProperty("reason");
      expect(approvals[0]?.expiresAt).toBeGreaterThan(Date.now());
      expect(await process.read(id)).toEqual(approvals[0]);
      const { interruption } = (await stores.pendingCalls.get(id)) ?? {};
      expect(interruption?.state).toMatch(/^tw1\./);
      expect(JSON.stringify(approvals)).not.toContain(interruption?.state);
    });

    test("runs an approved call in another process, and returns its result", async () => {
      const [one, other] = await open();
      const agent = new TestProcess(one);
      const approver = new TestProcess(other);
      const id = await agent.makeCall();
      const { status, body } = await approver.answer(id);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        status: "completed",
        answeredBy: "ada",
        result: { isError: false, value: { paid: 49 } },
      });
      expect(approver.effects).toEqual(["mira 49"]);
      expect(agent.effects).toEqual([]);
      expect((await agent.list()).approvals).toEqual([]);
    });

    test("runs a call once when two people approve it in two processes at the same time", async () => {
      const [one, other] = await open();
      const processes = [new TestProcess(one), new TestProcess(other)] as const;
      const id = await processes[0].makeCall();
      const responses = await Promise.all([
        processes[0].answer(id, [{ type: "approve" }], "ada"),
        processes[1].answer(id, [{ type: "approve" }], "bob"),
        processes[0].answer(id, [{ type: "approve" }], "bob"),
        processes[1].answer(id, [{ type: "approve" }], "ada"),
      ]);
      expect(processes.flatMap(({ effects }) => effects)).toEqual(["mira 49"]);
      const statuses = responses.map(({ status }) => status);
      expect(statuses).toContain(200);
      expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
      // Further responses 200 are the same outcome again, for the same person.
      const ran = responses.filter(({ status, body }) => status === 200 && !body.replayed);
      expect(ran).toHaveLength(1);
    });

    test("answers 409 with the person and the time when another person has answered", async () => {
      const [stores] = await open();
      const process = new TestProcess(stores);
      const id = await process.makeCall();
      const { digest } = await process.read(id);
      const first = await process.answer(id);
      const second = await process.send<ProblemDocument>(`/api/approvals/${id}/answers`, {
        as: "bob",
        json: { digest, answers: [{ type: "reject" }] },
      });
      expect(second.status).toBe(409);
      expect(second.body).toMatchObject({
        code: "approval_answered",
        answeredBy: "ada",
        answeredAt: first.body.answeredAt,
      });
      expect(process.effects).toEqual(["mira 49"]);
    });

    test("returns the same outcome when the same person sends the same answer again", async () => {
      const [stores] = await open();
      const process = new TestProcess(stores);
      const id = await process.makeCall();
      const { digest } = await process.read(id);
      const send = () =>
        process.send(`/api/approvals/${id}/answers`, {
          json: { digest, answers: [{ type: "approve" }] },
        });
      const first = await send();
      const again = await send();
      expect(again.status).toBe(200);
      expect(again.body).toEqual({ ...first.body, replayed: true });
      expect(process.effects).toEqual(["mira 49"]);
    });

    test("rejects a call with the reason for the model, and does not run it", async () => {
      const [stores] = await open();
      const process = new TestProcess(stores);
      const id = await process.makeCall();
      const { status, body } = await process.answer(id, [{ type: "reject", reason: "too much" }]);
      expect(status).toBe(200);
      expect(body).toMatchObject({ status: "failed", error: { code: "approval_rejected" } });
      expect(JSON.stringify(body.result?.content)).toContain("too much");
      expect(process.effects).toEqual([]);
    });

    test("runs a call with the arguments that the person has changed", async () => {
      const [stores] = await open();
      const process = new TestProcess(stores);
      const id = await process.makeCall();
      const answers = [{ type: "approve", arguments: { to: "mira", euros: 30 } }];
      expect((await process.answer(id, answers)).body.status).toBe("completed");
      expect(process.effects).toEqual(["mira 30"]);
    });

    test("refuses an answer about something else than what the store has, and the call stays pending", async () => {
      const [stores] = await open();
      const process = new TestProcess(stores);
      const [id, other] = [await process.makeCall(), await process.makeCall({ to: "x", euros: 1 })];
      const { digest } = await process.read(other);
      const { status, body } = await process.send(`/api/approvals/${id}/answers`, {
        json: { digest, answers: [{ type: "approve" }] },
      });
      expect([status, body["code"]]).toEqual([409, "approval_changed"]);
      expect(process.effects).toEqual([]);
      expect((await process.read(id)).status).toBe("pending");
    });

    test("refuses answers that the call does not take, and the call stays pending", async () => {
      const [stores] = await open();
      const process = new TestProcess(stores);
      const id = await process.makeCall();
      const wrong = [
        [{ type: "input", value: 1 }],
        [{ type: "approve", requestId: "another" }],
        [{ type: "approve", arguments: { to: 1 } }],
        [{ type: "approve", grant: "for ever" }],
        [{ type: "approve" }, { type: "approve" }],
      ];
      for (const answers of wrong) {
        const { status, body } = await process.answer(id, answers);
        expect([status, body.code]).toEqual([422, "answers_invalid"]);
      }
      expect(process.effects).toEqual([]);
      expect((await process.answer(id)).status).toBe(200);
    });

    test("reports what a call waits for next, with a digest for the next answer", async () => {
      const [stores] = await open();
      const survey = defineTool({
        name: "survey",
        description: "Asks twice.",
        input: { type: "object" },
        annotations: { readOnlyHint: true },
        execute: (_, { resumed }) => {
          const number = typeof resumed?.state === "number" ? resumed.state : 0;
          if (number === 2) return JSON.stringify(resumed?.answers);
          return suspend(
            [{ id: "q", type: "input", message: `Question ${number + 1}` }],
            number + 1,
          );
        },
      });
      const process = new TestProcess(stores, { tools: [survey] });
      const id = await process.makeCall({}, undefined, "survey");
      const first = await process.answer(id, [{ type: "input", value: "a" }]);
      expect(first.body).toMatchObject({
        status: "interrupted",
        approval: { status: "pending", requests: [{ type: "input", message: "Question 2" }] },
      });
      const next = first.body.approval?.id ?? "";
      const last = await process.answer(next, [{ type: "input", value: "b" }]);
      expect(JSON.stringify(last.body.result)).toContain('\\"value\\":\\"b\\"');
    });

    test("pages through the calls, oldest first, each once", async () => {
      const [stores] = await open();
      const process = new TestProcess(stores);
      const made = new Set<string>();
      for (let at = 0; at < 7; at++) made.add(await process.makeCall({ to: "x", euros: at }));
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const query = cursor === undefined ? "" : `&cursor=${cursor}`;
        const page = await process.list(`?limit=3${query}`);
        expect(page.approvals.length).toBeLessThanOrEqual(3);
        seen.push(...page.approvals.map(({ id }) => id));
        cursor = page.nextCursor;
        // What is answered meanwhile hides nothing.
        if (seen.length === 3) await process.answer(seen[0] ?? "");
      } while (cursor !== undefined);
      expect(seen).toHaveLength(7);
      expect(new Set(seen)).toEqual(made);
    });

    test("lists the grants that people have given, and revokes them", async () => {
      const [stores] = await open();
      const process = new TestProcess(stores);
      await process.answer(await process.makeCall(), [{ type: "approve", grant: "always" }]);
      const { body } = await process.send<GrantList>("/api/grants");
      expect(body.grants).toMatchObject([
        { scope: "always", tool: "pay", by: "ada", caller: { id: "shop-agent" } },
      ]);
      expect(body.grants[0]).not.toHaveProperty("seal");
      expect((await process.send<GrantList>("/api/grants?tool=other")).body.grants).toEqual([]);
      const path = `/api/grants/${body.grants[0]?.id}`;
      expect((await process.send(path, { method: "DELETE" })).status).toBe(204);
      expect((await process.send(path, { method: "DELETE" })).status).toBe(404);
      expect((await process.send<GrantList>("/api/grants")).body.grants).toEqual([]);
    });

    test("leaves a call pending when this process lacks its tool, or has another version of it", async () => {
      const [one, other] = await open();
      const extra = (description: string) =>
        defineTool({
          name: "extra",
          description,
          input: { type: "object" },
          needsApproval: true,
          execute: () => "ran",
        });
      const agent = new TestProcess(one, { tools: [extra("One.")] });
      const id = await agent.makeCall({}, undefined, "extra");
      const without = await new TestProcess(other).answer(id);
      expect([without.status, without.body.code]).toEqual([409, "tool_unavailable"]);
      const changed = await new TestProcess(other, { tools: [extra("Two.")] }).answer(id);
      expect([changed.status, changed.body.code]).toEqual([409, "tool_changed"]);
      expect((await agent.answer(id)).body.status).toBe("completed");
    });

    test("shows nothing of a call that was sealed with another key, and refuses to answer it", async () => {
      const [one, other] = await open();
      const agent = new TestProcess(one, { key: "another key of thirty-two bytes or more" });
      const id = await agent.makeCall();
      const { digest } = await agent.read(id);
      const approver = new TestProcess(other);
      const { expiresAt } = await agent.read(id);
      expect(await approver.read(id)).toEqual({
        id,
        status: "pending",
        verified: false,
        expiresAt,
      });
      const { status, body } = await approver.send(`/api/approvals/${id}/answers`, {
        json: { digest, answers: [{ type: "approve" }] },
      });
      expect([status, body["code"]]).toEqual([409, "approval_changed"]);
      expect((await agent.read(id)).status).toBe("pending");
    });

    test("answers 404 for ids that no store has, whatever characters they contain", async () => {
      const [stores] = await open();
      const process = new TestProcess(stores);
      const json = { digest: "d", answers: [{ type: "approve" }] };
      for (const id of ["a%00b", "%F0%9F%98%80", "'%3B--", "%25", "a".repeat(200), "a%0Ab"]) {
        const responses = [
          await process.send(`/api/approvals/${id}`),
          await process.send(`/api/approvals/${id}/answers`, { json }),
          await process.send(`/api/grants/${id}`, { method: "DELETE" }),
        ];
        expect([id, ...responses.map(({ status }) => status)]).toEqual([id, 404, 404, 404]);
      }
    });

    test("does not list a nested call, which is answered through the call above it", async () => {
      const [stores] = await open();
      const shop = defineTool({
        name: "shop",
        description: "Pays.",
        input: { type: "object" },
        annotations: { readOnlyHint: true },
        execute: async (_, { scope, resumed }) => {
          const outcome =
            resumed === undefined
              ? await scope.execute({ id: "n", name: "pay", arguments: { to: "n", euros: 2 } })
              : await scope.resume(resumed.state as never);
          return outcome.status === "interrupted"
            ? suspend(outcome.interruption.requests, outcome.interruption as never)
            : outcome.result.content;
        },
      });
      const process = new TestProcess(stores, { tools: [shop] });
      const id = await process.makeCall({}, undefined, "shop");
      const nested = (await stores.pendingCalls.list()).find(
        ({ interruption }) => interruption.parentCallId !== undefined,
      );
      const nestedId = nested?.interruption.id ?? "";
      expect((await process.list()).approvals.map((approval) => approval.id)).toEqual([id]);
      const refused = await process.answer(nestedId);
      expect([refused.status, refused.body.code]).toEqual([409, "approval_nested"]);
      expect((await process.answer(id)).body.status).toBe("completed");
      expect(process.effects).toEqual(["n 2"]);
    });
  });
}
