import { ShellCode } from "@/app/docs/_components/highlighted-code";
import { BulletList, Code, Li, P, Section } from "@/app/docs/_components/prose";
import { COMMAND_SETUP } from "@/app/docs/_content/samples";

const CLIENT_CONFIG = `{
  "mcpServers": {
    "roundup": {
      "command": "node",
      "args": ["/path/to/dist/sdk/cli.js", "mcp", "--max-per-action-usd", "10", "--max-per-day-usd", "20", "--keep-sol", "0.1"],
      "env": { "ROUNDUP_URL": "http://localhost:3000", "ROUNDUP_KEYPAIR": "/path/to/agent.json" }
    }
  }
}`;

const ADD_COMMAND = `claude mcp add roundup -e ROUNDUP_URL=http://localhost:3000 -e ROUNDUP_KEYPAIR=/path/to/agent.json \\
  -- node /path/to/dist/sdk/cli.js mcp --max-per-action-usd 10 --max-per-day-usd 20`;

export default function ModelsGuide() {
  return (
    <>
      <P>
        `roundup mcp` serves Roundup to a model over the Model Context Protocol. It runs on your machine, with your key
        file, and signs for the model. A model can be manipulated, so you set its limits where it cannot change them: in
        the flags of the command.
      </P>
      <Section id="start" title="Set it up">
        <P>Build the command, and create a separate wallet that holds no more than you can afford to lose.</P>
        <ShellCode>{COMMAND_SETUP}</ShellCode>
        <P>
          Claude Desktop (claude_desktop_config.json), Cursor (.cursor/mcp.json) and most other clients read this
          configuration. In VS Code (.vscode/mcp.json) the outer name is `servers`.
        </P>
        <Code label="Configuration">{CLIENT_CONFIG}</Code>
        <Code label="Claude Code" isWrapped>
          {ADD_COMMAND}
        </Code>
      </Section>
      <Section id="transport" title="Why there is no HTTP server">
        <P>
          The server uses standard input and output only. It signs with your key file, so it must run on your machine,
          where the client starts it. We leave out streamable HTTP on purpose. A server on the network would need your
          key, and would sign for anyone who can reach it.
        </P>
      </Section>
      <ToolsSection />
      <Section id="limits" title="What the model cannot do">
        <BulletList>
          <Li>Confirm a preview twice, or more than a minute after it.</Li>
          <Li>
            Confirm a preview if more would leave by then: more than 1 % more SOL (and more than 0.0001 SOL), or any
            more of another coin.
          </Li>
          <Li>Confirm a preview if more than 1 % less would arrive by then.</Li>
          <Li>
            Move more than `--max-per-action-usd` at once, or more than `--max-per-day-usd` in 24 hours. Savings,
            purchases, sales and withdrawals of all programs count. The sum comes from the chain and from pending
            transactions, so a restart does not reset it. If the sum is unknown, the server refuses the action.
          </Li>
          <Li>Leave less than `--keep-sol` SOL in your wallet.</Li>
          <Li>
            Send anywhere but to your own wallet, or to an address of `--allow-destination`, which can be repeated.
          </Li>
          <Li>
            Pay with a price that moved by more than 30 % a day since this server last accepted it. The server then
            refuses and says why. You accept the price with `roundup prices --accept-price`, or let `--price-check` ask
            a second source. Withdrawals never wait for a price.
          </Li>
          <Li>Read a key, or get a text signed.</Li>
        </BulletList>
        <P>
          This server cannot protect the key file from a model that can run commands on the same machine. Use separate
          machines, or a wallet with little money.
        </P>
      </Section>
    </>
  );
}

function ToolsSection() {
  return (
    <Section id="tools" title="What the model can do">
      <BulletList>
        <Li>Look: `status`, `prices`, `roundup`, `activity`, `spending`.</Li>
        <Li>
          Preview: `preview_save`, `preview_topup`, `preview_invest`, `preview_sell`, `preview_withdraw`. They sign
          nothing. Each returns figures, a `summary` in one sentence, and a `token`.
        </Li>
        <Li>
          Confirm: `save`, `topup`, `invest`, `sell`, `withdraw` take that `token` and `summary`, word for word. A
          client that asks you before each call shows you the summary.
        </Li>
        <Li>
          A tool waits at most 10 s for the rate limit. Then it fails and says when to ask again. While a tool works, a
          client that asked for progress gets a notification for each request to the service.
        </Li>
      </BulletList>
    </Section>
  );
}
