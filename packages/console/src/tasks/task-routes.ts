import { readJsonBody } from "../http/json-body.ts";
import type { ApiPart } from "../openapi/route.ts";
import {
  jsonBody,
  jsonResponse,
  milliseconds,
  pageOperation,
  pageSchema,
  reference,
  text,
} from "../openapi/schema-parts.ts";
import { cancelTask, getTask, listTasks, type TaskSources } from "./tasks.ts";

const row = {
  required: ["id", "tool", "status", "createdAt", "updatedAt"],
  properties: {
    id: { type: "string" },
    tool: { type: "string" },
    status: {
      enum: ["working", "input_required", "completed", "failed", "cancelled"],
      description: "`input_required`: it waits for a person.",
    },
    createdAt: milliseconds("When it was made."),
    updatedAt: milliseconds("Its last change."),
    expiresAt: milliseconds("It is removed afterwards."),
    runId: { type: "string" },
    callId: { type: "string" },
    caller: text("The caller that it was made for. Absent: there is none."),
    approvalId: text("With `input_required`: the approval that it waits for."),
    code: text("The code of its error."),
    message: text("The message of its error."),
    progress: {
      type: "object",
      description: "Its last progress.",
      properties: {
        message: { type: "string" },
        done: { type: "number" },
        total: { type: "number" },
      },
    },
  },
};

const taskSchemas = {
  Task: { type: "object", ...row },
  TaskList: pageSchema("Task"),
  TaskDetails: {
    type: "object",
    required: row.required,
    properties: {
      ...row.properties,
      outcome: { ...reference("Outcome"), description: "Once the task has ended." },
    },
  },
};

/** The operations on tasks. */
export function taskRoutes(sources: TaskSources): ApiPart {
  return {
    tag: "tasks",
    schemas: taskSchemas,
    routes: [
      {
        method: "GET",
        path: "/api/tasks",
        scope: "read",
        operation: {
          operationId: "listTasks",
          summary: "List the tasks",
          description: "Calls that run in the background, or did: the latest 1,000, newest first.",
          ...pageOperation("TaskList"),
        },
        handle: ({ sender, query }) => listTasks(sources, sender, query),
      },
      {
        method: "GET",
        path: "/api/tasks/{id}",
        scope: "read",
        operation: {
          operationId: "getTask",
          summary: "Read a task, with its outcome once it has ended",
          responses: { 200: jsonResponse("The task.", "TaskDetails") },
        },
        handle: ({ sender, parameters: { id = "" } }) => getTask(sources, sender, id),
      },
      {
        method: "POST",
        path: "/api/tasks/{id}/cancel",
        scope: "call",
        operation: {
          operationId: "cancelTask",
          summary: "Cancel a task",
          description:
            "A task that has ended stays as it is. If another process runs it, that one has 10 seconds to cancel it.",
          requestBody: jsonBody("CancelBody"),
          responses: { 202: jsonResponse("The task.", "Task") },
          problems: [409, 413, 415, 422],
        },
        handle: async ({ request, sender, parameters: { id = "" } }) => {
          await readJsonBody(request, []);
          return Response.json(await cancelTask(sources, sender, id), { status: 202 });
        },
      },
    ],
  };
}
