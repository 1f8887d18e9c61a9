import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { noteTools } from "./tools.ts";

const executor = new ToolExecutor({ registry: new ToolRegistry(noteTools(["buy milk"])) });

// These are the calls of a model: by name, with arguments as JSON text or as an object.
const added = await executor.execute({
  id: "1",
  name: "add_note",
  arguments: '{"text":"call Ada"}',
});
console.log("add_note:", added.result?.value);

const wrong = await executor.execute({ id: "2", name: "add_note", arguments: {} });
console.log("add_note without a text:", wrong.error?.message);

const pending = await executor.execute({
  id: "3",
  name: "delete_note",
  arguments: { number: 1 },
});
if (pending.interruption) {
  console.log("delete_note waits for approval:", pending.interruption.call.arguments);
  const done = await executor.resume(pending.interruption, [{ type: "approve", by: "you" }]);
  console.log("delete_note:", done.result?.value);
}
