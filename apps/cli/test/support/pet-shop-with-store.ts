import { afterAll, beforeAll, beforeEach } from "vitest";
import { openPetShop, type PetShop } from "./pet-shop.ts";
import { runIn, type RunCommand } from "./run-cli.ts";
import { tempStore } from "./temp-file.ts";

/** One pet shop for a file's tests; a separate store, and a command line with it, for each test. */
export let shop: PetShop;
export let store = "";
export let run: RunCommand;
let before = 0;

/** Opens the pet shop for the tests of the file that calls this, and closes it after them. */
export function usePetShop(): void {
  beforeAll(async () => {
    shop = await openPetShop();
  });
  beforeEach(() => {
    before = shop.requests.length;
    store = tempStore();
    run = runIn(store);
  });
  afterAll(() => shop.close());
}

/** The shop's received requests since the test began. */
export function requests(): PetShop["requests"] {
  return shop.requests.slice(before);
}

/** The arguments that delete a pet. */
export function remove(id: number, ...more: string[]): string[] {
  return ["call", "delete_pet", `id=${id}`, "--openapi", shop.documentUrl, ...more];
}

/** The arguments that add one. */
export function add(name: string, ...more: string[]): string[] {
  return ["call", "add_pet", `name=${name}`, "--openapi", shop.documentUrl, ...more];
}
