import { userInfo } from "node:os";

/** The person who runs this process, as answers of approvals and the audit name them. */
export function getUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return "local";
  }
}
