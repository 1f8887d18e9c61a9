import assert from "node:assert/strict";
import { test } from "node:test";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { noteTools } from "../src/tools.ts";

const createExecutor = (notes: string[]): ToolExecutor =>
  new ToolExecutor({ registry: new ToolRegistry(noteTools(notes)) });

test("a note is added and listed", async () => {
  const executor = createExecutor(["buy milk"]);
  await executor.execute({ id: "1", name: "add_note", arguments: { text: "call Ada" } });
  const listed = await executor.execute({ id: "2", name: "list_notes", arguments: {} });
  assert.deepEqual(listed.result?.value, { notes: ["buy milk", "call Ada"] });
});

test("a note without a text is not added, and the model reads why", async () => {
  const notes: string[] = [];
  const outcome = await createExecutor(notes).execute({
    id: "1",
    name: "add_note",
    arguments: { text: "" },
  });
  assert.equal(outcome.error?.code, "invalid_arguments");
  assert.deepEqual(notes, []);
});

test("a note is deleted only after a person has approved the call", async () => {
  const notes = ["buy milk"];
  const executor = createExecutor(notes);
  const call = { id: "1", name: "delete_note", arguments: { number: 1 } };
  const pending = await executor.execute(call);
  assert.ok(pending.interruption);
  assert.deepEqual(notes, ["buy milk"]);

  const done = await executor.resume(pending.interruption, [{ type: "approve", by: "Ada" }]);
  assert.deepEqual(done.result?.value, { deleted: "buy milk" });
  assert.deepEqual(notes, []);
});
