import Link from "next/link";
import { Highlighted } from "@/app/docs/_components/highlighted";
import { C, Points, Section } from "@/app/docs/_components/prose";
import { COMMAND_SETUP } from "@/app/docs/_content/samples";

const LOOK = `${COMMAND_SETUP}
export ROUNDUP_URL=http://localhost:3000 ROUNDUP_KEYPAIR=agent.json
node dist/sdk/cli.js status
node dist/sdk/cli.js save 4.02 27.03 --plan forest
node dist/sdk/cli.js invest --allocations BTC:60,ETH:40
node dist/sdk/cli.js sell BTC --into USDC
node dist/sdk/cli.js withdraw
node dist/sdk/cli.js --help`;

const WATCH = `node dist/sdk/cli.js watch --yes --every-usd 1 --max-per-day-usd 10 --keep-sol 0.05 \\
  --allocations BTC:60,ETH:40 --threshold-usd 5 --weekly-usd 5`;

const LISTEN = `node dist/sdk/cli.js listen --forward-to http://localhost:4000/events`;

export function Agent() {
  return (
    <>
      <p>
        The SDK’s command, <C>roundup</C>, does what the dashboard does, from a key file of the Solana CLI. Each money
        command shows what leaves, what arrives and what it costs, checked against the bytes, and asks before it signs.
        With <C>--yes</C> it does not ask; with <C>--json</C> it answers one JSON document.
      </p>
      <Section id="commands" title="By hand">
        <Highlighted label="Shell" wrap>
          {LOOK}
        </Highlighted>
        <p>
          What was sent and not heard of is kept below <C>XDG_STATE_HOME</C>: the same command again asks what became of
          it before it builds anything. <C>--help</C> has the exit codes, and <C>roundup completion</C> a script for
          your shell.
        </p>
      </Section>
      <Section id="watch" title="By itself">
        <Highlighted label="Shell" wrap>
          {WATCH}
        </Highlighted>
        <Points>
          <li>
            It sees what your wallet pays. It saves the change once <C>--every-usd</C> dollars of it wait, or after a
            day.
          </li>
          <li>
            With <C>--ws</C>, a node’s websocket, it reacts to a payment at once. In the{" "}
            <Link href="/docs/sandbox#chain" prefetch={false} className="text-accent underline underline-offset-4">
              sandbox
            </Link>{" "}
            that is <C>ws://localhost:8900</C>. Node 20 has no WebSocket, so there it polls every 15 seconds.
          </li>
          <li>
            It invests from <C>--threshold-usd</C> on, and tops up <C>--weekly-usd</C> dollars once a week (UTC).
          </li>
          <li>
            It saves no more than <C>--max-per-day-usd</C> in any 24 hours, whichever program saved it, counted from the
            chain and from what is pending, and leaves <C>--keep-sol</C> SOL in your wallet.
          </li>
          <li>
            A memo on the chain says how far you have saved: a restart, a second machine or the dashboard beside it save
            nothing twice. What may pass, it waits for; where the service builds something else than was asked for, it
            ends.
          </li>
          <li>
            <C>--dry-run</C> only says what it would do. Idle, it makes about 4 calls a minute.
          </li>
        </Points>
        <p>The key has to lie on that machine: give it a wallet that holds no more than you would let it lose.</p>
      </Section>
      <Events />
    </>
  );
}

function Events() {
  return (
    <Section id="events" title="Receive events as webhooks">
      <p>
        Every transaction that the service sends ends in one event of{" "}
        <Link href="/docs#get-events" className="text-accent underline underline-offset-4">
          GET /api/events
        </Link>
        . The command posts each event to your program, in order and at least once. Your program can listen on your own
        machine: the service never calls you.
      </p>
      <Highlighted label="Shell" wrap>
        {LISTEN}
      </Highlighted>
      <Points>
        <li>
          Requests have the form of Standard Webhooks. Verify them with the secret that the first run prints;{" "}
          <C>--new-secret</C> replaces it.
        </li>
        <li>
          An answer other than 2xx means “not accepted”. The command posts the event again later, with the same{" "}
          <C>webhook-id</C>.
        </li>
        <li>
          With an API key in <C>ROUNDUP_API_KEY</C> it reads the events of that key, not those of your key file.
        </li>
      </Points>
    </Section>
  );
}
