import type { CommandPart } from "../io";
import { createWholeNumberParser } from "../options";
import { printAnswer, toOneLine } from "../output/text";
import { EXIT } from "../run-payment";
import { openSession } from "../state/session";

/** Adds `keys`, which lists, creates and revokes the wallet's API keys. */
export function addKeys({ program, io, setAction }: CommandPart): void {
  const keys = program.command("keys").description("list, create and revoke your wallet's API keys");
  const createCalls = () => openSession(program.opts(), io).roundup.calls();
  const printResult = (value: object, lines: string[]) => {
    printAnswer(io, program.opts().json, value, lines.map(toOneLine));
    return EXIT.done;
  };
  setAction(keys.command("list", { isDefault: true }).description("list the keys that are valid now"), async () => {
    const keyList = await (await createCalls()).get("/api/keys");
    return printResult(
      keyList,
      keyList.keys.map(({ id, name, expiresAt, lastUsedAt }) =>
        [id, `expires ${expiresAt}`, `last used ${lastUsedAt ?? "never"}`, name ?? ""].join("  "),
      ),
    );
  });
  const create = keys
    .command("create")
    .description("create a key and print it once")
    .argument("[name]", "a name to tell your keys apart")
    .option("--expires-in-days <n>", "how many days the key is valid (90)", createWholeNumberParser(1, 365));
  setAction(create, async () => {
    const [name] = create.processedArgs;
    const createdKey = await (await createCalls()).post("/api/keys/generate", {
      name,
      expiresInDays: create.opts().expiresInDays,
    });
    return printResult(createdKey, [createdKey.apiKey]);
  });
  const revoke = keys.command("revoke").description("revoke a key at once").argument("<id>", "its id from the list");
  setAction(revoke, async () => {
    const revoked = await (await createCalls()).delete(`/api/keys/${encodeURIComponent(revoke.processedArgs[0])}`);
    return printResult(revoked, [`Revoked ${revoke.processedArgs[0]}.`]);
  });
}
