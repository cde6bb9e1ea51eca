import { Button, ButtonLink } from "@/app/_components/button";
import { CopyButton, Short } from "@/app/_components/copy";

/** Where a transaction can be found again. */
export function SignatureLine({
  label,
  of,
  txSignature,
}: {
  label?: string;
  /** Whose signature it is, for screen readers. */
  of: string;
  txSignature: string;
}) {
  return (
    <div className="flex items-center justify-between gap-3 text-sm">
      <p className="min-w-0">
        {label && <span className="block">{label}</span>}
        <span className="text-soft">
          Signature <Short text={txSignature} />
        </span>
      </p>
      <CopyButton text={txSignature} className="shrink-0" ariaLabel={`Copy the signature of: ${of}`} />
    </div>
  );
}

/** The ways on when all is done. */
export function DoneActions({ onClose }: { onClose: () => void }) {
  return (
    <div className="mt-6 flex flex-wrap gap-3">
      <ButtonLink href="/dashboard">See my savings</ButtonLink>
      <Button look="quiet" onClick={onClose}>
        Close
      </Button>
    </div>
  );
}
