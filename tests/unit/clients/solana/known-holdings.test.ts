import { expect, test } from "vitest";
import { SERVICE_ITSELF } from "../../../../lib/clients/quota/quota-port";
import { createKnownHoldingsReader } from "../../../../lib/clients/solana/known-holdings";
import type { AccountState, TokenHolding } from "../../../../lib/domain/chain-accounts";
import { TOKEN_PROGRAM } from "../../../../lib/solana/programs";
import { buildTokenAccountData } from "../../../../lib/solana/token-accounts";
import { createManualClock } from "../../../support/fakes/manual-clock";
import { createAddress } from "../../../support/fakes/staged-rpc";

const OWNER = createAddress();
const UNLISTED_HOLDING = { address: createAddress(), mint: createAddress(), decimals: 3, tokenProgram: TOKEN_PROGRAM };

function createTokenAccount({ mint, amount }: Pick<TokenHolding, "mint" | "amount">, owner = OWNER): AccountState {
  const data = buildTokenAccountData(mint, owner);
  new DataView(data.buffer).setBigUint64(64, amount, true);
  return { lamports: 1n, owner: TOKEN_PROGRAM, data };
}

function createHoldingsRig() {
  const clock = createManualClock();
  const chain = new Map<string, AccountState>();
  const callCounts = { lists: 0, reads: 0 };
  const holdings = createKnownHoldingsReader({
    clock,
    kv: undefined,
    async readAccounts(_quotaUser, addresses) {
      callCounts.reads++;
      return addresses.map((address) => chain.get(address) ?? null);
    },
    async readAllHoldings() {
      callCounts.lists++;
      return { holdings: [{ ...UNLISTED_HOLDING, amount: 5n }], leftOut: [] };
    },
  });
  chain.set(UNLISTED_HOLDING.address, createTokenAccount({ ...UNLISTED_HOLDING, amount: 5n }));
  const readHoldings = async () => (await holdings.read(SERVICE_ITSELF, OWNER)).holdings;
  return { clock, chain, callCounts, readHoldings };
}

test.each([
  ["another holder", createTokenAccount({ ...UNLISTED_HOLDING, amount: 7n }, createAddress())],
  ["another mint", createTokenAccount({ mint: createAddress(), amount: 7n })],
  ["another program", { ...createTokenAccount({ ...UNLISTED_HOLDING, amount: 7n }), owner: createAddress() }],
])("all accounts are listed again when a known account has %s", async (_caseName, account) => {
  const { chain, callCounts, readHoldings } = createHoldingsRig();
  await readHoldings();
  chain.set(UNLISTED_HOLDING.address, account);
  await readHoldings();
  expect(callCounts.lists).toBe(2);
});
