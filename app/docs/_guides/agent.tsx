import { Highlighted } from "@/app/docs/_components/highlighted";
import { C, Points, Section } from "@/app/docs/_components/prose";
import { COMMAND_SETUP } from "@/app/docs/_content/samples";

const LOOK = `${COMMAND_SETUP}
export ROUNDUP_URL=http://localhost:3000 ROUNDUP_KEYPAIR=agent.json
node dist/sdk/cli.js status
node dist/sdk/cli.js save 4.02 27.03 --plan forest
node dist/sdk/cli.js invest --allocation BTC:60,ETH:40
node dist/sdk/cli.js sell BTC --into USDC
node dist/sdk/cli.js withdraw
node dist/sdk/cli.js --help`;

const WATCH = `node dist/sdk/cli.js watch --yes --every 1 --max-per-day 10 --keep 0.05 \\
  --allocation BTC:60,ETH:40 --threshold 5 --weekly 5`;

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
            It sees what your wallet pays, and saves the change once <C>--every</C> dollars of it wait, or after a day.
            With <C>--ws</C>, a node’s websocket, it sees it at once; Node 20 has none and looks every 15 seconds.
          </li>
          <li>
            It invests from <C>--threshold</C> on, and tops up <C>--weekly</C> dollars once a week (UTC).
          </li>
          <li>
            It saves no more than <C>--max-per-day</C> in any 24 hours, whichever program saved it, counted from the
            chain and from what is pending, and leaves <C>--keep</C> SOL in your wallet.
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
    </>
  );
}
