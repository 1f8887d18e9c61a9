import type { JsonObject } from "@toolweave/core";

/** One request to a server, and to the gateway in front of it. */
export interface Step {
  /** Its subject: the title of its test. */
  readonly shows: string;
  readonly method: string;
  readonly params: JsonObject;
  /**
   * Of a text that is a JSON object, the members that are compared: the rest is the host's.
   * Default: all.
   */
  readonly only?: readonly string[];
}

function call(shows: string, name: string, args: JsonObject = {}): Step {
  return { shows, method: "tools/call", params: { name, arguments: args } };
}

function prompt(shows: string, name: string, args?: JsonObject): Step {
  const params = { name, ...(args === undefined ? {} : { arguments: args }) };
  return { shows, method: "prompts/get", params };
}

function read(shows: string, uri: string): Step {
  return { shows, method: "resources/read", params: { uri } };
}

function complete(
  shows: string,
  ref: JsonObject,
  name: string,
  value: string,
  context?: JsonObject,
): Step {
  const params = { ref, argument: { name, value }, ...(context === undefined ? {} : { context }) };
  return { shows, method: "completion/complete", params };
}

const dynamic = "demo://resource/dynamic";
const teams = { type: "ref/prompt", name: "completable-prompt" };
const template = (uri: string): JsonObject => ({ type: "ref/resource", uri });
const url = "https://donwell.test/strawberries";

/** Everything that server-everything offers; its task has a separate test. */
export const everythingSteps: readonly Step[] = [
  call("a text", "echo", { message: "grüße 👋" }),
  call("a sum", "get-sum", { a: 1.5, b: 2 }),
  call("a picture", "get-tiny-image"),
  call("structured content", "get-structured-content", { location: "Chicago" }),
  call("an annotated error", "get-annotated-message", { messageType: "error", includeImage: true }),
  call("an annotated success", "get-annotated-message", { messageType: "success" }),
  call("links", "get-resource-links", { count: 5 }),
  call("an embedded text", "get-resource-reference", { resourceType: "Text", resourceId: 3 }),
  call("an embedded file", "get-resource-reference", { resourceType: "Blob", resourceId: 3 }),
  call("an error of a tool", "get-resource-reference", { resourceType: "Text", resourceId: 0.5 }),
  call("a packed file", "gzip-file-as-resource", {
    ...{ name: "a.gz", data: "data:text/plain,Emma", outputType: "resource" },
  }),
  call("a link to a packed file", "gzip-file-as-resource", {
    ...{ name: "b.gz", data: "data:text/plain,Emma" },
  }),
  read("a resource of the session", "demo://resource/session/b.gz"),
  call("progress", "trigger-long-running-operation", { duration: 0.05, steps: 5 }),
  call("a form", "trigger-elicitation-request"),
  call("a page", "trigger-url-elicitation", { url, elicitationId: "e1" }),
  call("a page that is needed first", "trigger-url-elicitation", { url, errorPath: true }),
  call("the client's model", "trigger-sampling-request", { prompt: "Box Hill", maxTokens: 50 }),
  call("the client's roots", "get-roots-list"),
  call("arguments that do not match", "get-sum", { a: "one", b: 2 }),
  call("an unknown tool", "get-nothing"),
  { ...call("the environment", "get-env"), only: ["PATH", "NODE_COMPILE_CACHE"] },
  read("a document", "demo://resource/static/document/features.md"),
  read("a dynamic text", `${dynamic}/text/5`),
  read("a dynamic file", `${dynamic}/blob/5`),
  read("an unknown resource", "demo://nowhere"),
  prompt("a prompt", "simple-prompt"),
  prompt("a prompt with arguments", "args-prompt", { city: "Highbury", state: "Surrey" }),
  prompt("a prompt without an optional argument", "args-prompt", { city: "Highbury" }),
  prompt("a prompt without a required argument", "args-prompt"),
  prompt("a prompt with a resource", "resource-prompt", { resourceType: "Text", resourceId: "4" }),
  prompt("an unknown prompt", "no-prompt"),
  complete("the completion of a prompt", teams, "department", "S"),
  complete("the completion of a prompt with chosen arguments", teams, "name", "", {
    arguments: { department: "Sales" },
  }),
  complete(
    "the completion of a template",
    template(`${dynamic}/text/{resourceId}`),
    "resourceId",
    "7",
  ),
];

/** Features that server-everything does not have: ours. */
export const fixtureSteps: readonly Step[] = [
  call("one block of each kind, with _meta", "show_everything"),
  call("a text", "echo", { text: "grüße 👋" }),
  call("structured content", "add", { a: 1, b: 2 }),
  call("an object", "any_json", { value: { a: [1, null, "x"] } }),
  call("a list", "any_json", { value: [1, 2] }),
  call("a text as structured content", "any_json", { value: "Emma" }),
  call("a number", "any_json", { value: 0 }),
  call("nothing", "any_json", { value: null }),
  call("an error of a tool", "fail"),
  call("an error of the protocol", "refuse", { code: -32050 }),
  call("an error of the protocol about arguments", "refuse", { code: -32602 }),
  call("progress, with words", "count", { steps: 4 }),
  call("a long text", "large", { characters: 20_000 }),
  call("a log message", "say", { level: "warning", text: "paper is low" }),
  call("a log message of a low level", "say", { level: "debug", text: "wheels turn" }),
  call("a form", "ask_form"),
  call("a form in three rounds", "ask_form", { rounds: 3 }),
  call("a page", "ask_url"),
  call("the client's model", "ask_model"),
  call("the client's roots", "ask_roots"),
  call("an unknown tool", "nothing"),
  read("a text of a resource", "fixture://text"),
  read("a file", "fixture://picture"),
  read("several contents", "fixture://both"),
  read("a resource of a template", "fixture://month/may"),
  read("an unknown resource", "fixture://none"),
  prompt("a prompt with arguments", "greet", { name: "Emma", month: "may" }),
  prompt("a prompt without a required argument", "greet"),
  prompt("a conversation", "show"),
  prompt("a prompt whose name is not a tool's name", "say/nothing"),
  prompt("an unknown prompt", "none"),
  complete("the completion of a prompt", { type: "ref/prompt", name: "greet" }, "month", "j"),
  complete(
    "the completion of a prompt with chosen arguments",
    { type: "ref/prompt", name: "greet" },
    "month",
    "m",
    {
      arguments: { name: "Emma" },
    },
  ),
  complete("the completion of a template", template("fixture://month/{month}"), "month", "a"),
];
