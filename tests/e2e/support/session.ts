import type { Page } from "@playwright/test";
import { DEMO_WALLET_NAME } from "../../../app/_client/wallet/demo-name";
import { toBase64 } from "../../../lib/solana/bytes";
import { createSaver, fund, registerServiceWallet, type Saver } from "./service";

export { DEMO_WALLET_NAME } from "../../../app/_client/wallet/demo-name";

interface SessionOptions {
  /** Play money in the main wallet, SOL. */
  sol?: number;
  /** Play money in the service wallet, SOL. */
  serviceSol?: number;
  /** The app's base URL; defaults to the shared app. */
  base?: string;
  /** Default: a new wallet. */
  saver?: Saver;
}

/**
 * Opens a returning visitor's browser: the demo wallet is connected and signed in, and has a service wallet. Restores
 * what the page would have stored, so that a test can skip the steps it does not cover.
 */
export async function openSession(
  page: Page,
  { sol = 2, serviceSol = 0, base, saver = createSaver() }: SessionOptions = {},
) {
  await registerServiceWallet(saver, base);
  if (sol > 0) await fund(saver.wallet, sol, base);
  if (serviceSol > 0) await fund(saver.service.address, serviceSol, base);
  await page.addInitScript(
    ({ seed, wallet, signature, service, network, name }) => {
      if (localStorage.getItem("e2e-seeded")) return;
      localStorage.setItem("e2e-seeded", "1");
      localStorage.setItem("roundup-demo-wallet", seed);
      localStorage.setItem("roundup-demo-wallet-connected", "1");
      localStorage.setItem("walletName", JSON.stringify(name));
      localStorage.setItem(`roundup-service-wallet:${wallet}`, service);
      localStorage.setItem(`roundup-service-network:${wallet}`, network);
      sessionStorage.setItem(`roundup-auth:${wallet}`, signature);
    },
    {
      seed: toBase64(saver.seed),
      wallet: saver.wallet,
      signature: saver.credentials["x-signature"],
      service: saver.service.address,
      network: "sandbox",
      name: DEMO_WALLET_NAME,
    },
  );
  return saver;
}
