import { expect, test } from "vitest";
import { openChain } from "../../../../lib/sandbox/chain/chain";
import { buildSystemTransfer } from "../../../../lib/solana/system-instructions";
import { composeTransaction } from "../../../../lib/solana/transactions";
import { createAddress, ONE_SOL } from "../../../support/chain/sandbox-rig";

const NOW = Date.UTC(2026, 10, 20);
const DAY_S = 86_400;
const shops = [createAddress(), createAddress()];

function createChain() {
  const chain = openChain({ now: () => NOW });
  const [wallet, otherWallet] = [createAddress(), createAddress()];
  chain.airdrop(wallet, ONE_SOL);
  chain.airdrop(otherWallet, ONE_SOL);
  return { chain, wallet, otherWallet };
}

const listHistory = (chain: ReturnType<typeof openChain>, address: string) =>
  chain.listSignatures(address, { limit: 1_000 });

test("the sandbox inserts a month of payments before the existing history and keeps the wallet's balance", () => {
  const { chain, wallet, otherWallet } = createChain();
  const [slotBefore, otherHistoryBefore] = [chain.getSlot(), listHistory(chain, otherWallet)];
  const count = chain.addPastPayments(wallet, shops);
  const history = listHistory(chain, wallet);
  expect(history).toHaveLength(count + 1);
  for (const member of ["slot", "blockTime"] as const) {
    const values = history.map((entry) => entry[member]);
    expect(values).toEqual([...values].sort((a, b) => b - a));
  }
  expect(history[0]!.blockTime - history.at(-1)!.blockTime).toBeGreaterThan(20 * DAY_S);
  expect(history[0]!.blockTime - history.at(-1)!.blockTime).toBeLessThan(31 * DAY_S);
  const paymentsOfLastWeek = history.filter(({ blockTime }) => blockTime > NOW / 1000 - 7 * DAY_S);
  // 17 round-ups of half a dollar on average are more than the usual minimum to invest, $5.
  expect(paymentsOfLastWeek.length).toBeGreaterThan(16);
  expect(chain.getAccount(wallet)!.lamports).toBe(ONE_SOL);
  expect([chain.getSlot(), listHistory(chain, otherWallet)]).toEqual([slotBefore, otherHistoryBefore]);
  const receivedLamports = shops.reduce((sum, shop) => sum + (chain.getAccount(shop)?.lamports ?? 0n), 0n);
  const payments = history.slice(1).map(({ signature }) => chain.findTransaction(signature)!);
  const spentLamports = payments.reduce(
    (sum, { preBalances, postBalances, fee }) => sum + preBalances[0]! - postBalances[0]! - fee,
    0,
  );
  expect(Number(receivedLamports)).toBe(spentLamports);
});

test("the sandbox runs only past payments without a signature", () => {
  const { chain, wallet } = createChain();
  chain.addPastPayments(wallet, shops);
  const { blockhash } = chain.getLatestBlockhash();
  const instructions = [buildSystemTransfer(wallet, shops[0]!, ONE_SOL / 2n)];
  const { bytes } = composeTransaction({ payer: wallet, instructions, blockhash });
  expect(() => chain.send(bytes)).toThrow();
  chain.send(bytes, { skipPreflight: true });
  expect(chain.getAccount(wallet)!.lamports).toBe(ONE_SOL);
  expect(chain.simulate(bytes, { sigVerify: true }).err).toBe("SignatureFailure");
});
