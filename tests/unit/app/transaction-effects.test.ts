import { Keypair } from "@solana/web3.js";
import { describe, expect, test } from "vitest";
import { readTransactionEffects } from "@/app/_client/wallet/transaction-effects";
import { ASSETS } from "@/lib/domain/assets";
import { deriveUsdcAccount } from "@/lib/domain/dollar-accounts";
import { listSandboxShops } from "@/lib/domain/spending/shops";
import { toBase64 } from "@/lib/solana/bytes";
import { buildSetComputeUnitPrice } from "@/lib/solana/compute-budget";
import type { InstructionLike } from "@/lib/solana/instructions";
import { buildMemo } from "@/lib/solana/memo";
import { TOKEN_PROGRAM } from "@/lib/solana/programs";
import { buildSystemTransfer } from "@/lib/solana/system-instructions";
import { buildCreateAssociatedTokenAccount, buildTransferChecked } from "@/lib/solana/token-instructions";
import { composeTransaction } from "@/lib/solana/transactions";

const createAddress = () => Keypair.generate().publicKey.toBase58();
const [wallet, serviceWallet, stranger] = [createAddress(), createAddress(), createAddress()];
const shop = listSandboxShops()[0]!;
const blockhash = createAddress();

function readEffects(...instructions: InstructionLike[]) {
  return readTransactionEffects(
    toBase64(composeTransaction({ payer: wallet, instructions, blockhash }).bytes),
    wallet,
    serviceWallet,
  );
}

describe("a signing request to the demo wallet", () => {
  test("lists every payment with its lamports and recipient", () => {
    const effects = readEffects(
      buildSystemTransfer(wallet, serviceWallet, 7_000n),
      buildSystemTransfer(wallet, shop.address, 5n),
      buildSystemTransfer(wallet, stranger, 11n),
      buildMemo("change of today", wallet),
    );
    expect(effects).toEqual({
      payments: [
        { to: serviceWallet, name: "your savings wallet", lamports: 7_000n, usdcUnits: 0n },
        { to: shop.address, name: shop.name, lamports: 5n, usdcUnits: 0n },
        { to: stranger, name: null, lamports: 11n, usdcUnits: 0n },
      ],
      allowances: [],
      memos: ["change of today"],
      // 5,000 for the signature, and half of what the message asks for without a limit.
      networkFeeLamports: 714_159n,
      depositLamports: 0n,
      unknownPrograms: [],
    });
  });

  test("lists payments in USDC, and the deposit of the account that they open", () => {
    const [source, destination] = [wallet, serviceWallet].map(deriveUsdcAccount) as [string, string];
    const saving = { source, destination, authority: wallet, ...ASSETS.USDC, amount: 990_000n };
    const effects = readEffects(
      buildCreateAssociatedTokenAccount({ payer: wallet, owner: serviceWallet, mint: ASSETS.USDC.mint }),
      buildTransferChecked(saving, TOKEN_PROGRAM, [stranger]),
      buildTransferChecked({ ...saving, mint: ASSETS.BTC.mint }),
    );
    expect(effects).toMatchObject({
      payments: [{ to: destination, name: "your savings wallet", lamports: 0n, usdcUnits: 990_000n }],
      depositLamports: 2_039_280n,
      unknownPrograms: [TOKEN_PROGRAM],
    });
  });

  test("shows the highest possible network fee", () => {
    const unitPrice = buildSetComputeUnitPrice(1_000_000n);
    // Without a limit, the runtime allows 1,400,000 units; here at one lamport each.
    expect(readEffects(unitPrice, buildSystemTransfer(wallet, stranger, 1n))).toMatchObject({
      networkFeeLamports: 2_113_855n,
      unknownPrograms: [],
    });
  });

  test("reports instructions that cannot be read as unknown", () => {
    const unreadableInstruction = { programId: TOKEN_PROGRAM, accounts: [], data: "Aw==" };
    expect(readEffects(unreadableInstruction)).toMatchObject({ payments: [], unknownPrograms: [TOKEN_PROGRAM] });
    const strangersTransfer = buildSystemTransfer(stranger, wallet, 1n);
    expect(readEffects(strangersTransfer)!.unknownPrograms).toHaveLength(1);
  });

  test.each(["", "AAAA", "not base64"])("is null for %j, which is not a transaction", (bytes) => {
    expect(readTransactionEffects(bytes, wallet, serviceWallet)).toBeNull();
  });
});
