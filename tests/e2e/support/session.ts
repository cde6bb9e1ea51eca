import type { Page } from "@playwright/test";
import { DEMO_WALLET } from "../../../app/_client/wallet/demo-name";
import { toBase64 } from "../../../lib/solana/bytes";
import { fund, newSaver, register, type Saver } from "./service";

export { DEMO_WALLET } from "../../../app/_client/wallet/demo-name";

interface Options {
  /** Play money in the main wallet, SOL. */
  sol?: number;
  /** Straight into the service wallet, SOL. */
  serviceSol?: number;
  /** Of the app; the shared one unless told otherwise. */
  base?: string;
  saver?: Saver;
}

/**
 * A browser that has been here before: the demo wallet is connected, signed in, and has its service wallet. What the
 * page stored then is put back before it starts; only what no journey is about is skipped this way.
 */
export async function signedIn(page: Page, { sol = 2, serviceSol = 0, base, saver = newSaver() }: Options = {}) {
  await register(saver, base);
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
      name: DEMO_WALLET,
    },
  );
  return saver;
}
