import { Highlighted } from "@/app/docs/_components/highlighted";
import { C, Code, Points, Section } from "@/app/docs/_components/prose";
import { COMMAND_SETUP } from "@/app/docs/_content/samples";

const CONFIG = `{
  "mcpServers": {
    "roundup": {
      "command": "node",
      "args": ["/path/to/dist/sdk/cli.js", "mcp", "--max-per-action-usd", "10", "--max-per-day-usd", "20", "--keep-sol", "0.1"],
      "env": { "ROUNDUP_URL": "http://localhost:3000", "ROUNDUP_KEYPAIR": "/path/to/agent.json" }
    }
  }
}`;

const ADD = `claude mcp add roundup -e ROUNDUP_URL=http://localhost:3000 -e ROUNDUP_KEYPAIR=/path/to/agent.json \\
  -- node /path/to/dist/sdk/cli.js mcp --max-per-action-usd 10 --max-per-day-usd 20`;

export function Models() {
  return (
    <>
      <p>
        <C>roundup mcp</C> serves Roundup to a model over the Model Context Protocol. It runs on your machine, with a
        key file of yours, and signs for the model. A model can be talked into anything, so what it may do is set where
        it cannot reach: in the flags it is started with.
      </p>
      <Section id="start" title="Set it up">
        <p>Make the command, and a wallet of its own that holds no more than you would let it lose.</p>
        <Highlighted label="Shell" wrap>
          {COMMAND_SETUP}
        </Highlighted>
        <p>
          Claude Desktop (claude_desktop_config.json), Cursor (.cursor/mcp.json) and most other clients read this; in VS
          Code (.vscode/mcp.json) the outer name is <C>servers</C>.
        </p>
        <Code label="Configuration">{CONFIG}</Code>
        <Code label="Claude Code" wrap>
          {ADD}
        </Code>
      </Section>
      <Section id="transport" title="Why there is no HTTP server">
        <p>
          The server speaks standard input and output only. It signs with your key file, so it has to run on your
          machine, where the client starts it. Streamable HTTP is left out on purpose: a server that others can reach
          would need your key, or would sign for whoever reaches it.
        </p>
      </Section>
      <Section id="tools" title="What the model can do">
        <Points>
          <li>
            Look: <C>status</C>, <C>prices</C>, <C>roundup</C>, <C>activity</C>, <C>spending</C>.
          </li>
          <li>
            Preview: <C>preview_save</C>, <C>preview_topup</C>, <C>preview_invest</C>, <C>preview_sell</C>,{" "}
            <C>preview_withdraw</C>. They sign nothing. Each answers figures, a <C>summary</C> in one sentence, and a{" "}
            <C>token</C>.
          </li>
          <li>
            Confirm: <C>save</C>, <C>topup</C>, <C>invest</C>, <C>sell</C>, <C>withdraw</C> take that <C>token</C> and{" "}
            <C>summary</C>, word for word. A client that asks you before each call shows you the summary.
          </li>
          <li>
            A tool waits for the rate limit for at most 10 s, and then says when to ask again. A client that asks for
            progress hears of each request.
          </li>
        </Points>
      </Section>
      <Section id="limits" title="What it cannot do">
        <Points>
          <li>Confirm anything twice, after a minute, or other than as it was previewed.</li>
          <li>
            Move more than <C>--max-per-action-usd</C> at once, or more than <C>--max-per-day-usd</C> in 24 hours.
            Savings, purchases, sales and withdrawals all count, whichever program made them. They are counted from the
            chain and from what is pending: starting again resets nothing, and what cannot be counted is not spent.
          </li>
          <li>
            Leave less than <C>--keep-sol</C> SOL in your wallet.
          </li>
          <li>
            Send anywhere but to your own wallet, or to an address of <C>--allow-destination</C>, which can be repeated.
          </li>
          <li>
            Pay with a price that moved more than 30 % a day since it was last confirmed here. It pauses and says so:{" "}
            <C>roundup prices --accept-price</C> is your word that the price is right, and <C>--price-check</C> asks a
            second source in your place. Withdrawals never wait for a price.
          </li>
          <li>See a key, or have a text signed.</li>
        </Points>
        <p>
          A model that can also run commands on the same machine can read the key file, whatever this server does. Keep
          the two apart, or the wallet small.
        </p>
      </Section>
    </>
  );
}
