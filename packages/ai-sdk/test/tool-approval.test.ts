import { call, say, scripted } from "@toolweave/test-support/scripted-turns";
import { generateText, isStepCount, tool, type ModelMessage } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { aiToolApproval, aiTools, type AiTools } from "../src/index.ts";
import { askedIn } from "./support/conversation.ts";
import { museum } from "./support/museum.ts";

type Result = Awaited<ReturnType<typeof generateText<AiTools>>>;

describe("aiToolApproval", () => {
  it("adds a call's permissions to the SDK's request, and the call runs once it is approved", async () => {
    const { executor, removed } = museum();
    const model = scripted(
      [call("c1", "remove", { id: 7 }), call("c2", "look", { id: 7 })],
      [say("gone")],
    );
    const messages: ModelMessage[] = [{ role: "user", content: "Remove it." }];
    const go = async (): Promise<Result> => {
      const tools = await aiTools(executor);
      const toolApproval = aiToolApproval();
      const stopWhen = isStepCount(5);
      const result = await generateText({ model, messages, tools, toolApproval, stopWhen });
      messages.push(...result.responseMessages);
      return result;
    };
    const first = await go();
    const [request] = first.content.filter((part) => part.type === "tool-approval-request");
    expect(request).toMatchObject({ reason: expect.stringContaining("Call remove") });
    expect(askedIn(first).map(({ callId }) => callId)).toEqual(["c1"]);
    expect(removed).toEqual([]);

    const approvalId = request?.approvalId ?? "";
    const answer = { type: "tool-approval-response", approvalId, approved: true } as const;
    messages.push({ role: "tool", content: [answer] });
    expect((await go()).text).toBe("gone");
    expect(removed).toEqual([7]);
  });

  it("does not change the approval of a host's own tools", async () => {
    const { executor, looked } = museum();
    const ran: string[] = [];
    const own = (name: string, needsApproval?: true): AiTools[string] =>
      tool({
        inputSchema: z.object({}),
        ...(needsApproval === undefined ? {} : { needsApproval }),
        execute: () => {
          ran.push(name);
          return "done";
        },
      }) as unknown as AiTools[string];
    const tools = Object.assign(await aiTools(executor), {
      draw: own("draw"),
      paint: own("paint", true),
      carve: own("carve", true),
      hum: own("hum"),
    });
    const model = scripted(
      ["draw", "paint", "carve", "hum"]
        .map((name) => call(name, name))
        .concat(call("l", "look", { id: 1 })),
      [say("done")],
    );
    const result = await generateText({
      model,
      prompt: "go",
      tools,
      toolApproval: aiToolApproval({
        draw: () => "user-approval",
        carve: "approved",
        look: "denied",
      }),
    });
    // A call that a host approves by itself is in the SDK's content, too, with its answer.
    const answered = result.content.flatMap((part) =>
      part.type === "tool-approval-response" ? [part.approvalId] : [],
    );
    const open = askedIn(result).filter(({ approvalId }) => !answered.includes(approvalId));
    expect(open.map(({ callId }) => callId).sort()).toEqual(["draw", "paint"]);
    expect(ran.sort()).toEqual(["carve", "hum"]);
    // The policy decides about a tool of the registry.
    expect(looked).toEqual([1]);
  });

  it("does not accept a host's own setting that a call of the registry is approved", async () => {
    const { executor, removed } = museum();
    const result = await generateText({
      model: scripted([call("c1", "remove", { id: 7 })]),
      prompt: "go",
      tools: await aiTools(executor),
      toolApproval: aiToolApproval(() => "approved"),
    });
    expect(askedIn(result).map(({ callId }) => callId)).toEqual(["c1"]);
    expect(removed).toEqual([]);
  });
});
