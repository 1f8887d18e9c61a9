import { ToolExecutor, ToolRegistry, type Answer, type Interruption } from "@toolweave/core";
import { mcpSource } from "../../src/index.ts";
import { pressServer } from "./requesting-server-process.ts";

/** Another host of the press: resumes the interruption that it receives, once, and exits. */
process.once(
  "message",
  async (sent: { readonly interruption: Interruption; readonly answers: readonly Answer[] }) => {
    const source = mcpSource(pressServer("modern"));
    await source.ready;
    const executor = new ToolExecutor({
      registry: new ToolRegistry([source]),
      policy: "autonomous",
      key: "0123456789abcdef0123456789abcdef",
    });
    process.send?.(await executor.resume(sent.interruption, sent.answers));
    await source.close();
    process.disconnect();
  },
);
