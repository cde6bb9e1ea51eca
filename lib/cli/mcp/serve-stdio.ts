import { randomBytes } from "node:crypto";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { WalletAddress } from "../../contracts/scalars";
import { readStoredRecord } from "../../sdk/flow/record";
import { readFirstSignature } from "../../sdk/sign/transactions";
import type { Io } from "../io";
import { openLedger } from "../state/ledger";
import type { Session } from "../state/session";
import { UsageError } from "../usage-error";
import type { Agent } from "./perform-action";
import { createMcpServer } from "./server";
import type { SpendingLimits } from "./spending-limits";

export interface AgentBounds {
  limits: SpendingLimits;
  destinations: string[];
}

export function createAgent(session: Session, { limits, destinations }: AgentBounds): Agent {
  const { roundup, wallet, storage } = session;
  return {
    ...session,
    limits,
    destinations: [...new Set([wallet, ...destinations])],
    ledger: openLedger(session),
    async readSentSignatures({ name: recordName, isPaidByWallet }) {
      const payer = isPaidByWallet ? wallet : await roundup.serviceWallet();
      const record = await readStoredRecord(storage, recordName, payer);
      const inFlightSignatures = record?.inFlight ? [readFirstSignature(record.inFlight.signed)] : [];
      return [...(record?.done ?? []).map(({ txSignature }) => txSignature), ...inFlightSignatures];
    },
  };
}

/**
 * Serves MCP over standard input and output until the client disconnects or the process must stop. Standard output carries
 * only the protocol, so the log goes to standard error. @throws {UsageError} on an invalid destination
 */
export async function serveMcp(session: Session, bounds: AgentBounds, io: Io): Promise<void> {
  const invalidDestination = bounds.destinations.find((address) => !WalletAddress.safeParse(address).success);
  if (invalidDestination !== undefined)
    throw new UsageError(`--allow-destination ${invalidDestination} is not a wallet address.`);
  const agent = createAgent(session, bounds);
  const writeLog = (line: string) => io.say(`${new Date(io.clock.now()).toISOString()} ${line}`);
  const options = { agent, createToken: () => randomBytes(16).toString("hex"), say: writeLog };
  const connection = serveStdio(() => createMcpServer(options), {
    onerror: ({ message }) => writeLog(`protocol: ${message}`),
  });
  writeLog(`serving ${session.wallet}`);
  await new Promise<void>((resolve) => {
    for (const event of ["end", "close"]) process.stdin.once(event, () => resolve());
    io.stopSignal.addEventListener("abort", () => resolve());
  });
  await connection.close();
}
