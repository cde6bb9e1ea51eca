import type { Adapter } from "@solana/wallet-adapter-base";
import { expect, test } from "vitest";
import { findOffchainSigner } from "@/app/_client/wallet/offchain-message";

const FEATURE_NAME = "solana:signOffchainMessage";

test("a wallet signs off-chain messages only if its feature names version 1, and its absence breaks nothing", () => {
  const account = { address: "account", features: [FEATURE_NAME] };
  const find = (feature: object) => {
    const wallet = { accounts: [account], features: { [FEATURE_NAME]: feature } };
    return findOffchainSigner({ wallet } as unknown as Adapter, "account");
  };
  expect(find({ supportedMessageVersions: [1] })).not.toBeNull();
  for (const feature of [{ supportedMessageVersions: [0] }, {}]) expect(find(feature)).toBeNull();
});
