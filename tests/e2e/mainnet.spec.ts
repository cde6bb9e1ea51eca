import { MAINNET_GENESIS } from "../../lib/clients/solana/nodes/nodes";
import { createTempFolder, removeFolder, sandboxRpc, startServerApp } from "../support/app/app";
import { startProxy } from "../support/app/proxy";
import { installWallet } from "./support/external-wallet";
import { test as base, expect, FAILED_REQUEST, inspectPage } from "./support/fixtures";
import { savePurchase } from "./support/flows";
import { fund, listAssets } from "./support/service";
import { DEMO_WALLET_NAME, setUpWallet } from "./support/session";

/** Starts a proxy to a sandbox node that reports the genesis of mainnet-beta. */
const startMainnetNode = (sandbox: string) =>
  startProxy(sandbox, async ({ method, body }, forward) => {
    const rpcCall = method === "POST" ? JSON.parse(body.toString()) : {};
    if (rpcCall.method !== "getGenesisHash") return forward();
    const answer = { jsonrpc: "2.0", id: rpcCall.id, result: MAINNET_GENESIS };
    return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(answer) };
  });

const test = base.extend<object, { mainnet: string }>({
  mainnet: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright's own form
    async ({}, use) => {
      const dataDir = createTempFolder();
      const rpc = process.env.E2E_RPC!;
      const { feeCollectors } = await sandboxRpc<{ feeCollectors: string[] }>(rpc, "sandbox_info");
      const node = await startMainnetNode(rpc);
      const env = {
        NETWORK: "mainnet-beta",
        PUBLIC_URL: "https://roundup.example",
        SOLANA_RPC_URL: node.url,
        JUPITER_URL: rpc,
        FEE_COLLECTORS: feeCollectors.join(","),
      };
      const app = await startServerApp({ dataDir, env });
      await use(app.url);
      await app.stop();
      await node.stop();
      removeFolder(dataDir);
    },
    { scope: "worker" },
  ],
  baseURL: async ({ mainnet }, use) => use(mainnet),
});

test("the mainnet pages offer no demo wallet and no play money", async ({ page }) => {
  await page.goto("/dashboard");
  const main = page.getByRole("main");
  await expect(main).toContainText("No wallet found in this browser");
  await page.getByRole("button", { name: "Look again" }).click();
  await expect(main).toContainText("Still no wallet found in this browser");
  await expect(page.getByRole("button", { name: DEMO_WALLET_NAME })).toHaveCount(0);
  await expect(main.getByRole("link", { name: "Install Phantom" })).toHaveAttribute("href", /^https:/);
  await expect(main.getByRole("img", { name: "QR code of https://roundup.example/dashboard" })).toBeVisible();
  await inspectPage(page, "mainnet-no-wallet");
  await page.goto("/");
  await page.getByText("Compare plans and costs").click();
  await expect(page.getByTestId("plan-years")).toContainText(/\$\d+\.\d\d or .* of the change/);
  await expect(page.getByRole("link", { name: "Start saving" })).toBeVisible();
  // The page carries the texts of both networks; a style sheet shows one of them.
  await expect(page.getByText("Play money").filter({ visible: true })).toHaveCount(0);
});

// tests/unit/app/wallet-apps.test.ts tests which devices are phones.
test("a phone without a wallet gets links that open the wallets' apps", async ({ page }) => {
  await page.addInitScript(() => Object.defineProperty(navigator, "userAgent", { value: "iPhone" }));
  await page.goto("/dashboard");
  const main = page.getByRole("main");
  await expect(main).toContainText("No wallet found in this browser");
  for (const name of ["Phantom", "Solflare", "Backpack"]) {
    const address = /browse\/https%3A%2F%2Froundup\.example%2Fdashboard\?ref=https%3A%2F%2Froundup\.example$/;
    await expect(main.getByRole("link", { name: `Open in ${name}` })).toHaveAttribute("href", address);
  }
  await expect(main.getByRole("img")).toHaveCount(0);
  await inspectPage(page, "no-wallet-phone");
});

test("a user's own wallet can save and withdraw everything on mainnet", async ({ page, watch }) => {
  const wallet = await installWallet(page);
  await setUpWallet(page, wallet);
  await inspectPage(page, "mainnet-done");
  await page.getByRole("button", { name: "Continue" }).click();
  const nextStep = page.getByRole("region", { name: "What comes next" });
  await expect(nextStep).toBeVisible();
  await inspectPage(page, "mainnet-wallet-empty");
  await expect(page.getByText(/play money|sandbox/i)).toHaveCount(0);

  await fund(wallet.address, 1);
  await page.reload();
  await nextStep.getByRole("link", { name: "Round up a purchase" }).click();
  await page.getByLabel("Plan").selectOption({ label: "Custom: your own step" });
  await page.getByLabel("Save at most, per payment").fill("100");
  await page.getByLabel("Round up to the next multiple of").fill("20");
  await savePurchase(page, "12.5");
  await page.goto("/dashboard/invest");
  // The sandbox swaps through an escrow, which the mainnet service does not accept.
  watch.allow(FAILED_REQUEST);
  await page.getByRole("button", { name: "Review the investment" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "A service we depend on" })).toBeVisible();
  await page.goto("/dashboard/withdraw");
  await page.getByRole("button", { name: "Review the withdrawal" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign and withdraw" }).click();
  await expect(page.getByTestId("service-wallet-empty")).toBeVisible();
  expect(await listAssets(wallet.address)).toEqual(["SOL"]);
});
