import { ToolExecutor } from "@toolweave/core";
import { loadRegistry } from "./registry.ts";

const { API_URL, API_TOKEN } = process.env;
const registry = await loadRegistry(API_URL, API_TOKEN);

console.log("The tools that a model gets:");
for (const { name, description } of registry.toolset().specs())
  console.log(`  ${name}: ${description}`);

// With an API: API_URL=http://127.0.0.1:8080 npm start get_order '{"id":7}'
const [name, text = "{}"] = process.argv.slice(2);
if (name !== undefined) {
  const executor = new ToolExecutor({ registry });
  const outcome = await executor.execute({ id: "1", name, arguments: text });
  if (outcome.ok) console.log(outcome.result.value ?? outcome.result.content);
  else if (outcome.interruption)
    console.log(`${name} waits for approval:`, outcome.interruption.call.arguments);
  else console.log(`${name} failed:`, outcome.error.message);
}
await registry.close();
