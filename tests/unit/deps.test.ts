import { expect, onTestFinished, test, vi } from "vitest";
import { startRuntime } from "../../lib/deps";
import { toTestWallet } from "../support/fixtures/test-wallets";
import { createFolderForTest } from "../support/store/temp-folder";

const FEE_COLLECTORS = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => toTestWallet(`collector ${number}`).address);

test.each([
  { NETWORK: "sandbox", SANDBOX_URL: "http://127.0.0.1:9" },
  { NETWORK: "mainnet-beta", SOLANA_RPC_URL: "https://rpc.example.com", WALLET_ORIGIN: "https://roundup.example" },
])("with $NETWORK, every port is a plain object, so a copy of it has all its methods", async (settings) => {
  const variables = { ...settings, FEE_COLLECTORS: FEE_COLLECTORS.join(), DATA_DIR: createFolderForTest() };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { deps, meterRequest } = startRuntime("server");
  onTestFinished(() => deps.kv.close());
  for (const ports of [deps, meterRequest().deps])
    for (const port of Object.values(ports).filter((value) => typeof value === "object" && !Array.isArray(value)))
      expect([null, Object.prototype]).toContain(port && Object.getPrototypeOf(port));
});
