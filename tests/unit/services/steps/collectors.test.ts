import { beforeEach, expect, test } from "vitest";
import { ASSETS } from "../../../../lib/domain/assets";
import { deriveUsdcAccount } from "../../../../lib/domain/dollar-accounts";
import { requireUsdcCollector } from "../../../../lib/services/steps/collectors";
import type { InstructionLike } from "../../../../lib/solana/instructions";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../../../lib/solana/programs";
import { TOKEN_ACCOUNT_BYTES } from "../../../../lib/solana/token-accounts";
import {
  buildApproveChecked,
  buildCloseAccount,
  buildCreateAssociatedTokenAccount,
} from "../../../../lib/solana/token-instructions";
import { composeTransaction } from "../../../../lib/solana/transactions";
import { createEmbeddedSandbox, type EmbeddedSandbox } from "../../../support/chain/embedded-sandbox";
import { ONE_SOL, putAccount, putTokens } from "../../../support/chain/sandbox-rig";
import { FEE_COLLECTORS } from "../../../support/fakes/fake-deps";
import { signTransaction, toTestWallet } from "../../../support/fixtures/test-wallets";
import { stranger } from "../../../support/worlds/relay-rig";

const { mint, decimals } = ASSETS.USDC;
const FIRST_WALLET = toTestWallet("collector 0");
const [FIRST, SECOND, THIRD] = FEE_COLLECTORS as [string, string, string];

let sandbox: EmbeddedSandbox;
beforeEach(() => {
  sandbox = createEmbeddedSandbox();
});

/** Runs an instruction on the real program. The first collector signs and pays. */
function runAsFirst(instruction: InstructionLike) {
  const { blockhash } = sandbox.chain.getLatestBlockhash();
  const { bytes } = composeTransaction({ payer: FIRST, instructions: [instruction], blockhash });
  sandbox.chain.send(signTransaction(bytes, FIRST_WALLET));
}
const openAccount = (owner: string) => runAsFirst(buildCreateAssociatedTokenAccount({ payer: FIRST, owner, mint }));

async function chooseCollector(collectors = FEE_COLLECTORS) {
  // The reads are at `confirmed`, one block later.
  await sandbox.deps.clock.advance(1_000);
  return requireUsdcCollector(collectors, await sandbox.deps.rpc.readAccounts(collectors.map(deriveUsdcAccount)));
}

test("no fee is taken in USDC while no collector has a USDC account, and the sentence says so", async () => {
  await expect(chooseCollector()).rejects.toMatchObject({
    code: "service_not_ready",
    message: "No account that takes the service fee can take USDC, so nothing can be saved in USDC right now.",
  });
});

test("a fee in USDC goes to the first collector of the payer's order that has a USDC account", async () => {
  openAccount(SECOND);
  openAccount(THIRD);
  expect(await chooseCollector()).toBe(SECOND);
  expect(await chooseCollector([THIRD, FIRST, SECOND])).toBe(THIRD);
});

/** Builds SetAuthority: gives the owner's right (2) or the right to close (3) to a stranger. Source: `TokenInstruction`. */
function buildSetAuthority(authorityType: 2 | 3): InstructionLike {
  const approval = buildApproveChecked({ ...APPROVAL, amount: 1n });
  const [account, , , owner] = approval.accounts;
  const data = Buffer.from([6, authorityType, 1, ...stranger.keys.publicKey]).toString("base64");
  return { ...approval, accounts: [account!, owner!], data };
}
const FIRST_USDC = deriveUsdcAccount(FIRST);
const APPROVAL = { account: FIRST_USDC, delegate: stranger.address, owner: FIRST, mint, decimals };

const approve = () => runAsFirst(buildApproveChecked({ ...APPROVAL, amount: 1n }));
const setAuthority = (authorityType: 2 | 3) => runAsFirst(buildSetAuthority(authorityType));
const putFirst = (tokenMint = mint, options = {}) =>
  putTokens(sandbox.chain, FIRST, tokenMint, 5n, { address: FIRST_USDC, ...options });
const putData = (bytes: number) => putAccount(sandbox.chain, FIRST_USDC, TOKEN_PROGRAM, new Uint8Array(bytes));

test.each<[string, () => void]>([
  ["is closed", () => runAsFirst(buildCloseAccount({ account: FIRST_USDC, destination: FIRST, owner: FIRST }))],
  ["holds SOL only", () => sandbox.setLamports(FIRST_USDC, ONE_SOL)],
  ["is frozen", () => putFirst(mint, { isFrozen: true })],
  ["is of another mint", () => putFirst(ASSETS.USDT.mint)],
  ["is of Token-2022", () => putFirst(mint, { program: TOKEN_2022_PROGRAM })],
  ["is not initialized", () => putData(TOKEN_ACCOUNT_BYTES)],
  ["is too short", () => putData(TOKEN_ACCOUNT_BYTES - 1)],
  ["has another owner", () => setAuthority(2)],
  ["has a foreign close authority", () => setAuthority(3)],
  ["has a delegate", approve],
])("a collector is passed over if its USDC account %s", async (_state, spoil) => {
  for (const owner of [FIRST, SECOND]) openAccount(owner);
  expect(await chooseCollector()).toBe(FIRST);
  spoil();
  expect(await chooseCollector()).toBe(SECOND);
});
