import { expect, type Page } from "@playwright/test";
import { DEMO_WALLET_NAME } from "../../../app/_client/wallet/demo-wallet-constants";
import { toBase64 } from "../../../lib/solana/bytes";
import type { ExternalWallet } from "./external-wallet";
import { createSaver, fund, investSavings, registerServiceWallet, type Saver } from "./service";

export { DEMO_WALLET_NAME } from "../../../app/_client/wallet/demo-wallet-constants";

interface SessionOptions {
  /** Play money in the main wallet, SOL. */
  sol?: number;
  /** Play money in the main wallet, USDC. Needs some SOL too. */
  usdc?: number;
  /** Play money in the service wallet, SOL. */
  serviceSol?: number;
  /** True invests the service wallet's money in BTC. */
  hasBtc?: boolean;
  /** The app's base URL; defaults to the shared app. */
  base?: string;
  /** Default: a new wallet. */
  saver?: Saver;
}

/**
 * Opens a returning visitor's browser: the demo wallet is connected and signed in, and has a service wallet. Restores
 * the page's stored state, so that a test can skip the steps that it does not cover.
 */
export async function openSession(
  page: Page,
  { sol = 2, usdc, serviceSol = 0, hasBtc = false, base, saver = createSaver() }: SessionOptions = {},
) {
  await registerServiceWallet(saver, base);
  if (sol > 0) await fund(saver.wallet, sol, base, usdc);
  if (serviceSol > 0) await fund(saver.serviceWallet.address, serviceSol, base);
  if (hasBtc) await investSavings(saver, "BTC", base);
  await page.addInitScript(
    ({ seed, wallet, signature, serviceWallet, name }) => {
      // Firefox also runs this in the empty page that comes first, which has no storage.
      if (origin === "null" || localStorage.getItem("e2e-seeded")) return;
      localStorage.setItem("e2e-seeded", "1");
      localStorage.setItem("roundup-demo-wallet", seed);
      localStorage.setItem("roundup-demo-wallet-connected", "1");
      localStorage.setItem("walletName", JSON.stringify(name));
      localStorage.setItem(`roundup-service-wallet:${wallet}`, serviceWallet);
      localStorage.setItem(`roundup-service-network:${wallet}`, "sandbox");
      sessionStorage.setItem(`roundup-auth:${wallet}`, signature);
    },
    {
      seed: toBase64(saver.seed),
      wallet: saver.wallet,
      signature: saver.credentials["x-signature"],
      serviceWallet: saver.serviceWallet.address,
      name: DEMO_WALLET_NAME,
    },
  );
  return saver;
}

export const chooseWallet = (page: Page, wallet: ExternalWallet) =>
  page.getByRole("button", { name: wallet.name }).click();
export const signIn = (page: Page) => page.getByRole("button", { name: "Sign in", exact: true }).click();
export const createServiceWallet = (page: Page) =>
  page.getByRole("button", { name: "Create my savings wallet" }).click();
export const findAlert = (page: Page) => page.locator("main").getByRole("alert");

/** Opens the dashboard and sets up an installed wallet, as a person does. Ends at the message that it is set up. */
export async function setUpWallet(page: Page, wallet: ExternalWallet): Promise<void> {
  await page.goto("/dashboard");
  await chooseWallet(page, wallet);
  await signIn(page);
  await createServiceWallet(page);
  await expect(page.getByRole("heading", { name: "You are set up" })).toBeVisible();
}

/** Returns the owner and the address of the only service wallet that the page has stored. */
export async function readServiceWallet(page: Page): Promise<{ owner: string; address: string }> {
  const PREFIX = "roundup-service-wallet:";
  const entries = await page.evaluate(() => Object.entries<string>(localStorage));
  const [key, address] = entries.find(([name]) => name.startsWith(PREFIX))!;
  return { owner: key.slice(PREFIX.length), address };
}
