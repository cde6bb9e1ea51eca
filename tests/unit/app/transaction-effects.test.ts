import { Keypair } from "@solana/web3.js";
import { describe, expect, test } from "vitest";
import { readTransactionEffects } from "@/app/_client/wallet/transaction-effects";
import { listSandboxShops } from "@/lib/domain/spending/shops";
import { toBase64 } from "@/lib/solana/bytes";
import { buildSetComputeUnitPrice } from "@/lib/solana/compute-budget";
import type { InstructionLike } from "@/lib/solana/instructions";
import { buildMemo } from "@/lib/solana/memo";
import { TOKEN_PROGRAM } from "@/lib/solana/programs";
import { buildSystemTransfer } from "@/lib/solana/system-instructions";
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
        { to: serviceWallet, name: "your savings wallet", lamports: 7_000n },
        { to: shop.address, name: shop.name, lamports: 5n },
        { to: stranger, name: null, lamports: 11n },
      ],
      memos: ["change of today"],
      // 5,000 for the signature, and half of what the message asks for without a limit.
      networkFeeLamports: 714_159n,
      unknownPrograms: [],
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
