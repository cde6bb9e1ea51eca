import type { CommandContext } from "../io";
import { parseSol } from "../options";
import { openSession } from "../state/session";

/** Adds `airdrop`, which asks a sandbox for play money. */
export function addAirdropCommand({ program, io, setAction }: CommandContext): void {
  const airdrop = program
    .command("airdrop")
    .description("put play money into your wallet (sandbox only)")
    .argument("[sol]", "amount of SOL", parseSol, 1);
  setAction(airdrop, async () => {
    const { roundup, wallet } = openSession(program.opts(), io);
    const body = { address: wallet, sol: airdrop.processedArgs[0] };
    const value = await (await roundup.calls()).post("/api/sandbox/airdrop", body);
    return { value, lines: [`${value.sol} SOL: ${value.txSignature}`] };
  });
}
