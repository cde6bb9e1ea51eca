import { build } from "esbuild";
import { installForeignPrograms } from "../support/app/foreign-programs";
import { expect, test } from "./support/fixtures";
import { savePurchase } from "./support/flows";
import { countActivity, fund } from "./support/service";
import { readServiceWallet } from "./support/session";

/* Sets up and saves with wallets that others have published on npm. */

/** Bundles a program of `tests/foreign/wallets`, as an extension's script in the page. */
async function bundleWallet(name: string): Promise<string> {
  const { folder } = await installForeignPrograms("wallets");
  const { outputFiles } = await build({
    entryPoints: [`${folder}/${name}.mjs`],
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    define: { global: "globalThis" },
    logLevel: "error",
  });
  return outputFiles[0]!.text;
}

for (const [program, name] of [
  ["burner", "Burner Wallet"],
  ["metamask", "MetaMask"],
] as const)
  test(`${name} connects, signs in, sets up and saves`, async ({ page }) => {
    await page.addInitScript({ content: await bundleWallet(program) });
    await page.goto("/dashboard");
    await page.getByRole("button", { name }).click();
    await page.getByRole("button", { name: "Create my savings wallet" }).click();
    await expect(page.getByRole("heading", { name: "You are set up" })).toBeVisible();
    const { owner } = await readServiceWallet(page);
    await fund(owner, 1);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("link", { name: "Round up a purchase" }).click();
    await savePurchase(page, "27.63");
    expect(await countActivity(owner, "round_up")).toBe(1);
  });
