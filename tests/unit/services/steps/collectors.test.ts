import { beforeEach, expect, test } from "vitest";
import { ASSETS } from "../../../../lib/domain/assets";
import { deriveUsdcAccount } from "../../../../lib/domain/dollar-accounts";
import { getHealth } from "../../../../lib/services/get-health";
import { requireUsdcCollector } from "../../../../lib/services/steps/collectors";
import { toBase64 } from "../../../../lib/solana/bytes";
import type { InstructionLike } from "../../../../lib/solana/instructions";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../../../lib/solana/programs";
import { TOKEN_ACCOUNT_BYTES } from "../../../../lib/solana/token-accounts";
import { buildCloseAccount, buildCreateAssociatedTokenAccount } from "../../../../lib/solana/token-instructions";
import { composeTransaction } from "../../../../lib/solana/transactions";
import { createEmbeddedSandbox, type EmbeddedSandbox } from "../../../support/chain/embedded-sandbox";
import { ONE_SOL, putAccount, putTokens } from "../../../support/chain/sandbox-rig";
import { FEE_COLLECTORS } from "../../../support/fakes/fake-deps";
import { signTransaction, toTestWallet } from "../../../support/fixtures/test-wallets";
import { stranger } from "../../../support/worlds/relay-rig";

const { mint } = ASSETS.USDC;
const FIRST_WALLET = toTestWallet("collector 0");
const [FIRST, SECOND, THIRD] = FEE_COLLECTORS as [string, string, string];

let sandbox: EmbeddedSandbox;
beforeEach(() => {
  sandbox = createEmbeddedSandbox();
  for (const collector of FEE_COLLECTORS) sandbox.setLamports(deriveUsdcAccount(collector), 0n);
});

/** Runs an instruction on the real program. The first collector signs and pays. */
function runAsFirst(instruction: InstructionLike) {
  const { blockhash } = sandbox.chain.getLatestBlockhash();
  const { bytes } = composeTransaction({ payer: FIRST, instructions: [instruction], blockhash });
  sandbox.chain.send(signTransaction(bytes, FIRST_WALLET));
}
const openAccount = (owner: string) => runAsFirst(buildCreateAssociatedTokenAccount({ payer: FIRST, owner, mint }));

async function chooseCollector(collectors = FEE_COLLECTORS) {
  // The client caches reads for 400 ms.
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

const FIRST_USDC = deriveUsdcAccount(FIRST);

/** Gives the first collector's account to a stranger. Source: SetAuthority of `TokenInstruction`. */
function giveAway() {
  const { programId, accounts } = buildCloseAccount({ account: FIRST_USDC, destination: FIRST, owner: FIRST });
  const data = toBase64(Uint8Array.of(6, 2, 1, ...stranger.keys.publicKey));
  runAsFirst({ programId, accounts: [accounts[0]!, accounts[2]!], data });
}
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
  ["has another owner", giveAway],
])("a collector is passed over if its USDC account %s", async (_state, spoil) => {
  for (const owner of [FIRST, SECOND]) openAccount(owner);
  expect(await chooseCollector()).toBe(FIRST);
  spoil();
  expect(await chooseCollector()).toBe(SECOND);
});

test("health counts the collectors that can take USDC, and says that savings in SOL go on without one", async () => {
  const readReasons = async () => {
    await sandbox.deps.clock.advance(1_000);
    const { degraded } = await getHealth(sandbox.deps, {}, { hasStaticKey: () => false });
    return degraded.map(({ part, reason }) => `${part}: ${reason}`);
  };
  const noneText = "none of the 3 can take fees in USDC, so savings in USDC are refused; savings in SOL go on";
  expect(await readReasons()).toEqual([`collectors: ${noneText}`]);
  openAccount(SECOND);
  expect(await readReasons()).toEqual(["collectors: only 1 of 3 can take fees in USDC"]);
  for (const owner of [FIRST, THIRD]) openAccount(owner);
  expect(await readReasons()).toEqual([]);
});
