import {
  ComputeBudgetProgram,
  SystemInstruction,
  SystemProgram,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";

const refuse = (why) => {
  throw new Error(`Do not sign: ${why}`);
};

const MEMO_PROGRAM = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr";

/**
 * Throws unless the transaction does what its breakdown says, and nothing else.
 * @param wallet the address of the wallet that pays
 * @param serviceWallet the address of the wallet that receives the savings
 * @param through the member `through` that you sent to POST /api/wrap/batch, if any
 */
export function checkWrap({ transaction, breakdown }, wallet, serviceWallet, through = "") {
  const { message } = VersionedTransaction.deserialize(Buffer.from(transaction.base64, "base64"));
  if (message.addressTableLookups.length > 0) refuse("it uses an address lookup table");
  if (message.header.numRequiredSignatures !== 1) refuse("somebody else signs too");

  const { payerKey, instructions } = TransactionMessage.decompile(message);
  if (payerKey.toBase58() !== wallet) refuse("another wallet pays");
  const isBudget = ({ programId }) => programId.equals(ComputeBudgetProgram.programId);
  const { networkFeeLamports, totalLamports } = breakdown;
  const [leastFee, mostFee] = computeNetworkFeeBounds(instructions.filter(isBudget));
  if (networkFeeLamports < leastFee || networkFeeLamports > mostFee) refuse("the network fee is not as shown");

  const isMemo = ({ programId }) => programId.toBase58() === MEMO_PROGRAM;
  const memos = instructions.filter(isMemo);
  if (memos.length !== (through ? 1 : 0)) refuse("the number of memos is wrong");
  for (const { keys, data } of memos) {
    const isSignedByWallet = keys.length === 1 && keys[0].pubkey.toBase58() === wallet;
    if (!isSignedByWallet || data.toString() !== `roundup:1:through:${through}`)
      refuse("the memo is not what you asked for");
  }
  const transfers = instructions.filter((instruction) => !isBudget(instruction) && !isMemo(instruction));
  if (transfers.length !== 2) refuse("there are not exactly two transfers");
  const [savingTransfer, feeTransfer] = transfers.map((instruction) =>
    instruction.programId.equals(SystemProgram.programId)
      ? SystemInstruction.decodeTransfer(instruction)
      : refuse("an instruction is not a transfer"),
  );
  const { userInvestmentLamports, activationLamports, serviceFeeLamports, roundUpLamports } = breakdown;
  if (savingTransfer.toPubkey.toBase58() !== serviceWallet) refuse("the savings go to another wallet");
  if (savingTransfer.lamports !== BigInt(userInvestmentLamports + activationLamports))
    refuse("the saved amount is not the amount in the breakdown");
  if (feeTransfer.lamports !== BigInt(serviceFeeLamports)) refuse("the fee is not the fee in the breakdown");
  if (userInvestmentLamports + serviceFeeLamports !== roundUpLamports) refuse("the parts do not add up");
  if (roundUpLamports + activationLamports + networkFeeLamports !== totalLamports) refuse("the total differs");
  if (serviceFeeLamports * 100 > roundUpLamports * Math.min(breakdown.serviceFeePercent, 1)) {
    refuse("the fee is above the plan's share, or above 1 % of the round-up");
  }
}

/**
 * Returns the least and the most that the network can charge, lamports. The least is the compute unit limit times the
 * price per unit, which is in millionths of a lamport. The most adds 5,000 for the signature, and half a lamport for each
 * cost unit: the compute units, and less than 20,000 for the signature, the accounts and the data (SIMD-0553).
 */
function computeNetworkFeeBounds(budgetInstructions) {
  // Solana allows a transaction at most 1,400,000 compute units.
  let [computeUnitLimit, microLamportsPerUnit] = [1_400_000n, 0n];
  for (const { data } of budgetInstructions) {
    // 2 is SetComputeUnitLimit, and 3 is SetComputeUnitPrice.
    if (data[0] === 2) computeUnitLimit = BigInt(data.readUInt32LE(1));
    else if (data[0] === 3) microLamportsPerUnit = data.readBigUInt64LE(1);
    else refuse("a compute budget instruction is unknown");
  }
  const priorityFee = (computeUnitLimit * microLamportsPerUnit + 999_999n) / 1_000_000n;
  return [priorityFee, priorityFee + 5000n + (computeUnitLimit + 20_000n) / 2n];
}
