import { BulletList, Code, InlineCode, Li, P, Section, Table } from "@/app/docs/_components/prose";
import { REFUSAL } from "@/app/docs/_content/samples";
import { ERRORS } from "@/lib/errors";

export default function ErrorsGuide() {
  return (
    <>
      <P>
        Every failure has the same shape: a sentence that a person can act on, a code that never changes its meaning,
        and the id of the request.
      </P>
      <Section id="shape" title="The shape">
        <Code label="Example" canCopy={false} isWrapped>
          {REFUSAL}
        </Code>
        <BulletList>
          <Li>`issues` names each wrong field, with 400 `invalid_request`.</Li>
          <Li>`txSignature` names the transaction that failed, if there is one.</Li>
          <Li>`docUrl` is the path of the code in the table below, on the service's own origin.</Li>
          <Li>`requestId` also comes as the header `x-request-id`. Quote it when you report something.</Li>
        </BulletList>
      </Section>
      <Section id="retry" title="Whether to try again">
        <BulletList>
          <Li>
            429 and 503 say in `Retry-After` (seconds) when to try again. After 502 and 504, try again in a moment.
          </Li>
          <Li>Other 4xx answers stay the same until the request changes.</Li>
          <Li>To retry `POST /api/swap/execute`, always send the same signed bytes.</Li>
        </BulletList>
      </Section>
      <Section id="codes" title="Every code">
        <Table
          caption="Error codes"
          canFold
          head={["Status", "Code", "Meaning"]}
          rows={Object.entries(ERRORS).map(([code, [status, sentence]]) => [
            status,
            // `docUrl` leads to this anchor.
            <span key={code} id={code} className="scroll-mt-4">
              <InlineCode>{code}</InlineCode>
            </span>,
            sentence,
          ])}
        />
      </Section>
    </>
  );
}
