/** The tools of the server. */
export const toolCount = 10_000;

const services = ["billing", "calendar", "documents", "messages", "orders"] as const;
const verbs = ["find", "list", "read", "show"] as const;

/** The name of a tool: a service, a verb and a number of four digits. */
export function toToolName(index: number): string {
  const service = services[index % services.length] ?? "";
  const verb = verbs[Math.floor(index / services.length) % verbs.length] ?? "";
  return `${service}_${verb}_${String(index).padStart(4, "0")}`;
}
