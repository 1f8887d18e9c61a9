import { readFileSync } from "node:fs";
import { text, ToolError, type ToolReturn } from "@toolweave/core";
import { ofTool, ofTools, withInvoke, type Mutant } from "./mutant.ts";

/** The door, which returns this instead of its usual error. */
function door(rule: string, what: string, invoke: () => ToolReturn): Mutant {
  return ofTool(rule, "open_door", what, () => ({ invoke }));
}

/** The same for a thrown error. */
function doorThrows(rule: string, what: string, thrown: () => unknown): Mutant {
  return door(rule, what, () => {
    throw thrown();
  });
}

export const errorMutants: readonly Mutant[] = [
  door("TW-ERROR-001", "an error that is blank", () => ({ content: [], isError: true })),
  door("TW-ERROR-001", "a failure that passes for success", () => "Error: locked"),
  doorThrows("TW-ERROR-002", "a stack in the message", () => {
    try {
      return readFileSync("/no/such/door", "utf8");
    } catch (error) {
      return new ToolError("execution_failed", (error as Error).stack ?? "");
    }
  }),
  door("TW-ERROR-003", "a code that is the adapter's own", () => ({
    content: [text("The door is locked.")],
    isError: true,
    error: unknownCode(),
  })),
  doorThrows("TW-ERROR-003", "a code of a later version, thrown", unknownCode),
  doorThrows(
    "TW-ERROR-004",
    "the path of a configuration",
    () =>
      new ToolError(
        "invalid_configuration",
        "No key in /home/toolweave/.config/doors.json: add one.",
      ),
  ),
  door("TW-ERROR-004", "a path in the text of an error result", () => ({
    content: [text("ENOENT: no such file, open 'C:\\doors\\keys.txt'")],
    isError: true,
  })),
  ofTools("TW-ERROR-005", "a failure that is taken for a crash the next time", (tools) => {
    let failed = false;
    return withInvoke(tools, "open_door", () => {
      if (failed)
        throw new ToolError("invalid_configuration", "The door's connection has failed before.");
      failed = true;
      throw new ToolError("upstream", "The door is locked.", { status: 423 });
    });
  }),
  ofTools("TW-ERROR-006", "a failure that closes the connection of all", (tools) => {
    let broken = false;
    const doors = withInvoke(tools, "open_door", () => {
      broken = true;
      throw new Error("The door is locked.");
    });
    return withInvoke(doors, "add", (args, ctx, add) => {
      if (broken) throw new Error("The connection is closed.");
      return add(args, ctx);
    });
  }),
  door("TW-ERROR-007", "a member of an answer that is not there", () => {
    const answer: { readonly door?: { readonly state: string } } = {};
    return (answer as Required<typeof answer>).door.state;
  }),
  door("TW-ERROR-007", "a server in Python that expects a value", () => ({
    content: [text("Error executing tool: 'NoneType' object has no attribute 'open'")],
    isError: true,
  })),
  doorThrows(
    "TW-ERROR-008",
    "an upstream error without its status",
    () => new ToolError("upstream", "The door's server answered that it is locked."),
  ),
  doorThrows(
    "TW-ERROR-009",
    "a request that is wrong and is to be sent again",
    () =>
      new ToolError("upstream", "There is no such door: 422.", { status: 422, retryable: true }),
  ),
  doorThrows(
    "TW-ERROR-009",
    "a missing right that is retried",
    () => new ToolError("permission_denied", "You may not open doors.", { retryable: true }),
  ),
  doorThrows(
    "TW-ERROR-010",
    "the colours of a command's output",
    () => new Error("\u001b[31mlocked\u001b[0m: find the key first"),
  ),
  door("TW-ERROR-011", "a whole answer in place of an error", () => ({
    content: [text(JSON.stringify({ errors: Array.from({ length: 400 }, () => "locked, again") }))],
    isError: true,
  })),
  door("TW-ERROR-012", "the page of a proxy", () => ({
    content: [text("<html>\n<head><title>502 Bad Gateway</title></head><body>nginx</body></html>")],
    isError: true,
  })),
  doorThrows("TW-ERROR-013", "a text that is thrown", () => "The door is locked."),
  doorThrows("TW-ERROR-013", "an answer's body that is thrown", () => ({
    status: 423,
    message: "The door is locked.",
  })),
  doorThrows(
    "TW-ERROR-014",
    "an object put into a text",
    () => new Error(`The door answered ${String({ status: "locked" })}`),
  ),
  doorThrows("TW-ERROR-015", "an error without a message", () => new Error()),
  doorThrows(
    "TW-ERROR-015",
    "an error that hides what was wrong",
    () => new ToolError("execution_failed", "Something went wrong."),
  ),
  doorThrows(
    "TW-ERROR-016",
    "its own timeout that looks like the host's cancellation",
    () => new ToolError("cancelled", "The door did not answer within a second: try another one."),
  ),
  doorThrows(
    "TW-ERROR-016",
    "a door that fails with approval_rejected",
    () => new ToolError("approval_rejected", "The porter has not opened the door. Ask the porter."),
  ),
  doorThrows("TW-ERROR-017", "two errors that are each other's cause", () => {
    const locked = new Error("The door is locked.");
    const refused = new Error("The key was refused.", { cause: locked });
    return Object.assign(locked, { cause: refused });
  }),
  doorThrows("TW-ERROR-017", "one cause for each attempt of a day", () => {
    let error = new Error("The door is locked.");
    for (let attempt = 0; attempt < 1000; attempt++) {
      error = new Error("The door is locked.", { cause: error });
    }
    return error;
  }),
];

function unknownCode(): ToolError {
  return new ToolError("door_locked" as never, "The door is locked.", {
    retryable: false,
    audience: "model",
  });
}
