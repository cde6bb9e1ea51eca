import type { CommandContext } from "../io";
import { createWholeNumberParser, parseSol } from "../options";
import { openSession } from "../state/session";

export function addKeyCommands({ program, io, setAction }: CommandContext): void {
  const keys = program.command("keys").description("list, create and revoke your wallet's API keys");
  const openCalls = () => openSession(program.opts(), io).roundup.calls();
  setAction(keys.command("list", { isDefault: true }).description("list the keys that are valid now"), async () => {
    const value = await (await openCalls()).get("/api/keys");
    const lines = value.keys.map(({ id, name, expiresAt, lastUsedAt }) =>
      [id, `expires ${expiresAt}`, `last used ${lastUsedAt ?? "never"}`, name ?? ""].join("  "),
    );
    return { value, lines };
  });
  const create = keys
    .command("create")
    .description("create a key and print it once")
    .argument("[name]", "a name to tell your keys apart")
    .option("--expires-in-days <n>", "how many days the key is valid (90)", createWholeNumberParser(1, 365));
  setAction(create, async () => {
    const [name] = create.processedArgs;
    const { expiresInDays } = create.opts();
    const value = await (await openCalls()).post("/api/keys/generate", { name, expiresInDays });
    return { value, lines: [value.apiKey] };
  });
  const revoke = keys.command("revoke").description("revoke a key at once").argument("<id>", "its id from the list");
  setAction(revoke, async () => {
    const [id] = revoke.processedArgs;
    const value = await (await openCalls()).delete(`/api/keys/${encodeURIComponent(id)}`);
    return { value, lines: [`Revoked ${id}.`] };
  });
}

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
