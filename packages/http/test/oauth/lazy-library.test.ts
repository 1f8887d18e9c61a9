import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

/**
 * Imports the package, creates a client, begins a sign-in, and prints after each step whether the
 * library was loaded.
 */
const program = `
  import { registerHooks } from "node:module";
  let isLoaded = false;
  registerHooks({
    resolve(specifier, context, next) {
      isLoaded ||= specifier === "oauth4webapi";
      return next(specifier, context);
    },
  });
  const { httpClient, oauthClient } = await import("@toolweave/http");
  const steps = [isLoaded];
  const authorizationUrl = "https://auth.example.com/authorize";
  const client = oauthClient({ http: httpClient(), clientId: "app", authorizationUrl });
  steps.push(isLoaded);
  await client.beginAuthorization();
  steps.push(isLoaded);
  process.stdout.write(JSON.stringify(steps));
`;

it("oauth4webapi is loaded with the first flow", async () => {
  const args = ["--conditions=@toolweave/source", "--input-type=module", "-e", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: import.meta.dirname,
  });
  expect(JSON.parse(stdout)).toEqual([false, false, true]);
});
