/**
 * A backend that saves for many customers with one static API key. It holds no customer's key: each customer's own page
 * signs. It can be killed at any moment and started again. The service saves each order once, because the order's id is
 * the `reference`. Every order that was sent ends with an event.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, createClient, followEvents, type RoundupEvent, verifyWrap } from "roundup-sdk";

interface Order {
  id: string;
  usd: number;
  /** The customer's wallet, and the service wallet that the customer's page has derived. */
  wallet: string;
  serviceWallet: string;
  /** Proof of the service wallet's key. A page registers the wallet itself if it calls the SDK's `serviceWallet()`. */
  proof?: string;
}

const { ROUNDUP_URL = "http://localhost:3000", ROUNDUP_KEY = "", PAGES_URL, WORKERS = "20" } = process.env;
const [ordersFile = "orders.json", eventsFile = "events.jsonl"] = process.argv.slice(2);
const client = createClient({ baseUrl: ROUNDUP_URL, apiKey: ROUNDUP_KEY, maxWaitMs: 60_000 });
const orders: Order[] = JSON.parse(readFileSync(ordersFile, "utf8"));
const openOrders = new Map(orders.map((order) => [order.id, order]));
const eventsController = new AbortController();

function closeOrder(id: string): void {
  openOrders.delete(id);
  if (openOrders.size === 0) eventsController.abort();
}

/** Asks the customer's page for a signature. Replace this with your own connection to the page. */
async function requestSignature(order: Order, transaction: string): Promise<string> {
  const body = JSON.stringify({ order: order.id, transaction });
  const answer = await fetch(`${PAGES_URL}`, { method: "POST", body });
  if (!answer.ok) throw new Error(`The page answered ${answer.status}.`);
  return answer.text();
}

/** Builds an order's saving, checks it, and sends it with the customer's signature. */
async function sendOrder(order: Order): Promise<void> {
  const { id: reference, usd, wallet, serviceWallet, proof } = order;
  if (proof) await client.post("/api/wallet/derive", { publicKey: serviceWallet, proof, wallet });
  const terms = { plan: "tree", reference } as const;
  const addresses = { userPubkey: wallet, serviceWalletPubkey: serviceWallet };
  const wrap = await client.post("/api/wrap", { txValueUsd: usd, ...terms, ...addresses });
  if (!wrap.transaction) return closeOrder(reference); // The price is a full step: there is no change to save.
  verifyWrap(wrap, { ...terms, wallet, serviceWallet, purchasesUsd: [usd] });
  await client.post("/api/swap/execute", { signedTransaction: await requestSignature(order, wrap.transaction.base64) });
}

/** Sends an order until the service has it. The event tells how it ends. */
async function saveOrder(order: Order): Promise<void> {
  for (;;) {
    try {
      return await sendOrder(order);
    } catch (error) {
      const { code, status, message } =
        error instanceof ApiError ? error : { code: "page", status: 0, message: `${error}` };
      if (code === "already_saved") return; // Sent before, perhaps by this program before it was killed.
      const isTemporary = status === 0 || status === 429 || status >= 500 || code === "transaction_expired";
      console.error(`${order.id}: ${code}: ${message}`);
      if (!isTemporary) return closeOrder(order.id);
      await sleep(1_000);
    }
  }
}

/** Closes the order of a confirmed saving. Sends an order again if its transaction has failed or expired. */
function handleEvent({ type, reference }: RoundupEvent): void {
  const order = openOrders.get(reference ?? "");
  if (order && type === "saving.confirmed") closeOrder(order.id);
  else if (order) void saveOrder(order);
}

// The file of events survives a restart. Its last line has the sequence number to continue after.
const eventLines = existsSync(eventsFile) ? readFileSync(eventsFile, "utf8").split("\n").filter(Boolean) : [];
const storedEvents: RoundupEvent[] = eventLines.map((line) => JSON.parse(line));
for (const { type, reference } of storedEvents) if (type === "saving.confirmed") closeOrder(reference ?? "");
if (openOrders.size === 0) eventsController.abort(); // Without an order, no event would end the program.

async function recordEvents(): Promise<void> {
  const request = { after: storedEvents.at(-1)?.sequence, signal: eventsController.signal };
  for await (const event of followEvents(client, request)) {
    appendFileSync(eventsFile, `${JSON.stringify(event)}\n`);
    handleEvent(event);
  }
}
const waitingOrders = [...openOrders.values()];

/** Saves orders one after another until none waits. */
async function saveWaitingOrders(): Promise<void> {
  for (let order = waitingOrders.shift(); order; order = waitingOrders.shift()) await saveOrder(order);
}
const eventRecording = recordEvents().catch((error) => {
  if (!eventsController.signal.aborted) throw error;
});
await Promise.all([eventRecording, ...Array.from({ length: Number(WORKERS) }, saveWaitingOrders)]);
console.log(`all ${orders.length} orders are done`);
