import { Code, InlineCode, Points, renderCode, Section, Table } from "@/app/docs/_components/prose";
import { REFUSAL } from "@/app/docs/_content/samples";
import { ERRORS } from "@/lib/errors";

const byStatus = Object.entries(ERRORS).map(([code, [status, sentence]]) => ({ code, status, sentence }));

/** Names a code. The anchor is where `docUrl` leads. */
function CodeName({ code }: { code: string }) {
  return (
    <span id={code} className="scroll-mt-4">
      <InlineCode>{code}</InlineCode>
    </span>
  );
}

export function ErrorsGuide() {
  return (
    <>
      <p>
        Every failure has the same shape: a sentence that a person can act on, a code that never changes its meaning,
        and the id of the request.
      </p>
      <Section id="shape" title="The shape">
        <Code label="Example" copy={false} wrap>
          {REFUSAL}
        </Code>
        <Points>
          <li>
            <InlineCode>issues</InlineCode> names each wrong field, with 400 <InlineCode>invalid_request</InlineCode>.
          </li>
          <li>
            <InlineCode>txSignature</InlineCode> names the transaction that failed, if there is one.
          </li>
          <li>
            <InlineCode>docUrl</InlineCode> is the path of the code in the table below, on the service's own origin.
          </li>
          <li>
            <InlineCode>requestId</InlineCode> also comes as the header <InlineCode>x-request-id</InlineCode>. Quote it
            when you report something.
          </li>
        </Points>
      </Section>
      <Section id="retry" title="Whether to try again">
        <Points>
          <li>
            429 and 503 say in <InlineCode>Retry-After</InlineCode> (seconds) when to try again. After 502 and 504, try
            again in a moment.
          </li>
          <li>Other 4xx answers stay the same until the request changes.</li>
          <li>
            To retry <InlineCode>POST /api/swap/execute</InlineCode>, always send the same signed bytes.
          </li>
        </Points>
      </Section>
      <Section id="codes" title="Every code">
        <Table
          caption="Error codes"
          folds
          head={["Status", "Code", "Meaning"]}
          rows={byStatus.map(({ code, status, sentence }) => [
            status,
            <CodeName key={code} code={code} />,
            renderCode(sentence),
          ])}
        />
      </Section>
    </>
  );
}
